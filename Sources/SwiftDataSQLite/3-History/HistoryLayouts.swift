import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The tables of a store in the form that a recorder needs.
struct HistoryLayouts: Sendable {
  /// A property of an entity that rows of a table of pairs change.
  struct End: Sendable {
    /// The position in ``HistoryLayouts/entities``.
    let entity: Int
    let property: Int
    /// The column with the row ID of the entity.
    let column: Int32
    /// The column with the position in the entity's list; nil for a list without an order.
    let order: Int32?
  }

  struct Entity: Sendable {
    let name: String
    let layout: Int64
    /// The property of each column of the table; -1 for the row ID and columns that the model doesn't have.
    let properties: [Int]
    /// The classes whose rows share the table; nil for a class with its own table.
    let family: EntityFamily?
    /// The properties whose values are preserved after a deletion, with their columns in the table.
    let preserved: [(property: Int, columns: [Int32])]
    /// The ordered lists that contain rows of the entity.
    let lists: [End]
  }

  enum Table: Sendable {
    case entity(Int)
    /// Rows of several classes, distinguished by the column with the entity's name.
    case family(discriminator: Int32, members: [(name: [UInt8], entity: Int)])
    case pairs([End])
  }

  let entities: [Entity]
  let tables: [(name: [CChar], table: Table)]

  init(_ plans: [EntityPlan], on connection: Connection) throws {
    var entities: [Entity] = []
    var columnsByTable: [String: [String]] = [:]
    for plan in plans {
      var id = try Self.id(of: plan, on: connection)
      if id == nil {
        // Migrations record every form of an entity; another program has removed this one.
        try HistoryTables.create(for: [plan], on: connection)
        id = try Self.id(of: plan, on: connection)
      }
      guard let id else {
        throw StoreError(
          .damaged, path: connection.path, explanation: "its history doesn't know \(plan.name)")
      }
      let columns = try columnsByTable[plan.table] ?? connection.columns(of: plan.table)
      columnsByTable[plan.table] = columns
      entities.append(
        Entity(
          name: plan.name, layout: id,
          properties: columns.map { name in
            plan.columns.first { $0.name == name }?.property ?? -1
          }, family: plan.family, preserved: Self.preserved(plan, columns),
          lists: Self.lists(plan, columns, plans)))
    }
    var tables: [(name: [CChar], table: Table)] = []
    for (name, columns) in columnsByTable {
      let members = plans.indices.filter { plans[$0].table == name }
      let table: Table =
        if let discriminator = columns.firstIndex(of: EntityFamily.discriminator) {
          .family(
            discriminator: Int32(discriminator),
            members: members.map { (Array(plans[$0].name.utf8), $0) })
        } else {
          .entity(members[0])
        }
      tables.append((Array(name.utf8CString), table))
    }
    for (name, ends) in Self.ends(plans) {
      tables.append((Array(name.utf8CString), .pairs(ends)))
    }
    self.entities = entities
    self.tables = tables
  }

  private static func id(of plan: EntityPlan, on connection: Connection) throws -> Int64? {
    try connection.integer(
      "SELECT id FROM \"_history_layout\" WHERE entity = ? AND properties = ?",
      [.text(plan.name), .text(StoredLayouts.names(of: plan))])
  }

  private static func preserved(
    _ plan: EntityPlan, _ columns: [String]
  ) -> [(property: Int, columns: [Int32])] {
    // An external value is a file that is removed with its row.
    plan.properties.indices.filter {
      plan.properties[$0].storage.isPreserved && !plan.properties[$0].storage.isExternal
    }.map { index in
      let places = plan.properties[index].columns.compactMap { column in
        columns.firstIndex(of: plan.columns[column].name).map { Int32($0) }
      }
      return (index, places)
    }
  }

  /// The to-many relationships whose order is stored in rows of `plan`.
  private static func lists(
    _ plan: EntityPlan, _ columns: [String], _ plans: [EntityPlan]
  ) -> [End] {
    plan.orderColumns.compactMap { index, name in
      let property = plan.properties[index]
      guard let relationship = property.relationship, let inverse = relationship.inverse,
        let owner = plans.firstIndex(where: { $0.type == relationship.destination }),
        let key = property.columns.first.flatMap({
          columns.firstIndex(of: plan.columns[$0].name)
        }), let order = columns.firstIndex(of: name)
      else { return nil }
      return End(entity: owner, property: inverse, column: Int32(key), order: Int32(order))
    }
  }

  /// Both ends of each table of pairs. Its first column belongs to the entity whose end is called `owner`.
  private static func ends(_ plans: [EntityPlan]) -> [String: [End]] {
    var ends: [String: [End]] = [:]
    for (entity, plan) in plans.enumerated() {
      for property in plan.ownRelationships {
        guard let join = plan.properties[property].relationship?.joinTable else { continue }
        let isFirst = join.ownerColumn == "owner"
        // The order columns follow the ends, that of the first end first.
        let order = isFirst || join.destinationOrderColumn == nil ? 2 : 3
        ends[join.name, default: []].append(
          End(
            entity: entity, property: property, column: isFirst ? 0 : 1,
            order: join.ownerOrderColumn == nil ? nil : Int32(order)))
      }
    }
    return ends
  }
}

extension Connection {
  /// The names of a table's columns in order.
  func columns(of table: String) throws -> [String] {
    let statement = try statement("SELECT name FROM pragma_table_info(?) ORDER BY cid")
    defer { statement.reset() }
    try statement.bind([.text(table)])
    var names: [String] = []
    while try statement.step() { names.append(statement.string(at: 0)) }
    return names
  }
}
