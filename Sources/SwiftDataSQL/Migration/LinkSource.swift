import SwiftDataCore

/// The links of a relationship as an earlier schema stored them: a query for pairs of row IDs.
struct LinkSource {
  /// Returns `o`, the row that has the relationship, and `d`, its destination; `op`, the position of `d` in the list of
  /// `o`, and `dp`, the position of `o` in the list of `d`, both NULL where there is no order.
  var query: String
  /// The rows of ``query`` without those in which `o` or `d` is a deleted row, which the delete rule `noAction` leaves.
  /// A foreign key takes only these.
  var living: String
  /// Distinguishes the link from every other link of the file.
  let key: String
  /// The column with the destination's row ID, in the owner's table.
  var column: String?
  /// The table of pairs, and whether its column `owner` holds the owners.
  var pairs: String?
  var isPairsOwner = false
  /// Whether no owner had more than one destination, and no destination more than one owner.
  var isToOne: Bool
  var isFromOne: Bool
  /// The entity that the links lead to.
  let destination: String
  private let dialect: any SQLDialect
  /// Whether links may lead to or from deleted rows: the delete rule `noAction`.
  var mayDangle: Bool { living != query }

  /// The links of `property` of `entity`.
  init?(
    _ property: PropertyDescription, of entity: EntityDescription, in schema: SchemaDescription,
    _ dialect: any SQLDialect
  ) {
    self.dialect = dialect
    guard let relationship = property.relationship else { return nil }
    let id = SQLIdentifier.rowID
    // Queries may use the position of a list without an order.
    let none = dialect.null(like: dialect.type(of: .integer))
    destination = relationship.destination
    let other = schema[relationship.destination]
    let inverse = relationship.inverse.flatMap { other?.property(named: $0) }
    isToOne = !relationship.isToMany
    isFromOne = inverse?.relationship.map { !$0.isToMany } ?? false
    // An entity keeps its description while schemas don't name it. The other end, which has the links, may have changed
    // or be gone since.
    let leadsBack =
      inverse?.relationship.map {
        $0.inverse == property.name && $0.pairs == relationship.pairs
          && (schema.isSame($0.destination, orAncestorOf: entity.name)
            || schema.isSame(entity.name, orAncestorOf: $0.destination))
      } ?? false
    switch relationship.place {
    case .column:
      guard let name = property.columns.first else { return nil }
      let column = SQLIdentifier.quoted(name.name)
      self.column = name.name
      key = "\(entity.table).\(name.name)"
      query =
        "SELECT \(id) AS o, \(column) AS d, \(none) AS op, \(Self.order(property) ?? none) AS dp"
        + " FROM \(SQLIdentifier.quoted(entity.table))"
        + " WHERE \(column) IS NOT NULL"
      living = query + Self.existence(of: name, in: other)
    case .otherEnd:
      guard let other, let inverse, leadsBack, let name = inverse.columns.first else { return nil }
      let column = SQLIdentifier.quoted(name.name)
      key = "\(other.table).\(name.name)"
      query =
        "SELECT \(column) AS o, \(id) AS d, \(Self.order(inverse) ?? none) AS op, \(none) AS dp"
        + " FROM \(SQLIdentifier.quoted(other.table))"
        + " WHERE \(column) IS NOT NULL"
      living = query + Self.existence(of: name, in: entity)
    case .pairs:
      guard let table = relationship.pairs, relationship.isPairsOwner || leadsBack else {
        return nil
      }
      pairs = table
      key = table
      isPairsOwner = relationship.isPairsOwner
      let owner = SQLIdentifier.quoted(isPairsOwner ? "owner" : "destination")
      let destination = SQLIdentifier.quoted(isPairsOwner ? "destination" : "owner")
      let order = relationship.orderColumn.map(SQLIdentifier.quoted) ?? none
      let inverseOrder = relationship.inverseOrderColumn.map(SQLIdentifier.quoted) ?? none
      query =
        "SELECT \(owner) AS o, \(destination) AS d, \(order) AS op, \(inverseOrder) AS dp"
        + " FROM \(SQLIdentifier.quoted(table))"
      living = query
    }
  }

  /// The condition that the row of a key exists; empty where a foreign key ensures it.
  private static func existence(
    of key: ColumnDescription, in destination: EntityDescription?
  ) -> String {
    guard !key.isForeignKey, let destination else { return "" }
    return " AND \(SQLIdentifier.quoted(key.name)) IN"
      + " (SELECT \(SQLIdentifier.rowID)"
      + " FROM \(SQLIdentifier.quoted(destination.table)))"
  }

  /// The position stored beside a key.
  private static func order(_ property: PropertyDescription) -> String? {
    property.columns.count > 1 ? SQLIdentifier.quoted(property.columns[1].name) : nil
  }

  /// The same links seen from the other end.
  func reversed(destination: String) -> LinkSource? {
    LinkSource(
      query: reversed(query), living: reversed(living), key: key, pairs: pairs,
      isPairsOwner: !isPairsOwner,
      isToOne: isFromOne, isFromOne: isToOne, destination: destination, dialect)
  }

  private func reversed(_ query: String) -> String {
    "SELECT d AS o, o AS d, dp AS op, op AS dp FROM \(dialect.subquery(query))"
  }

  private init(
    query: String, living: String, key: String, pairs: String?, isPairsOwner: Bool, isToOne: Bool,
    isFromOne: Bool, destination: String, _ dialect: any SQLDialect
  ) {
    self.query = query
    self.living = living
    self.key = key
    self.pairs = pairs
    self.isPairsOwner = isPairsOwner
    self.isToOne = isToOne
    self.isFromOne = isFromOne
    self.destination = destination
    self.dialect = dialect
  }
}

extension SchemaDescription {
  /// Whether an entity is another one or one of its superclasses.
  func isSame(_ entity: String, orAncestorOf other: String) -> Bool {
    var current: String? = other
    // A description that was edited outside the framework may contain a cycle.
    var known: Set<String> = []
    while let name = current, known.insert(name).inserted {
      if name == entity { return true }
      current = self[name]?.superentity
    }
    return false
  }
}

extension ColumnDescription {
  /// Whether the file refuses keys of rows that don't exist.
  var isForeignKey: Bool { definition.contains("REFERENCES") }
}
