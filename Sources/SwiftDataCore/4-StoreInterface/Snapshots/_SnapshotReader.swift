/// Reads rows into snapshots. The code that `@Snapshotable` writes calls it, in the order of the properties.
///
/// One reader is used for all rows of a query. The cells are valid until it moves to the next row.
public struct _SnapshotReader {
  /// The location of the destination of a to-one relationship, when its key alone doesn't identify it.
  package struct Link: Sendable {
    /// The entity of the destination.
    package let entity: String
    /// The position of the key among the extra cells; nil when the key is a column of the row.
    package let key: Int?
    /// The position of the destination's own entity among the extra cells; nil for a class without subclasses.
    package let subclass: Int?

    package init(entity: String, key: Int?, subclass: Int?) {
      self.entity = entity
      self.key = key
      self.subclass = subclass
    }
  }

  @usableFromInline var row: _RowReader
  private let storeIdentifier: String
  /// The common part of the identifiers of the row's entity.
  private var origin: PersistentIdentifier.Origin
  /// The origins that the store keeps, and those of entities that have occurred.
  private var origins: [String: PersistentIdentifier.Origin]
  private let links: [Int: Link]
  /// The cells that the query read in addition to the row's columns.
  private var extras: UnsafeBufferPointer<_Cell>
  private var rowID: Int64 = 0

  package init(
    plan: EntityPlan, storeIdentifier: String, origins: [String: PersistentIdentifier.Origin],
    links: [Int: Link]
  ) {
    self.storeIdentifier = storeIdentifier
    self.origins = origins
    origin =
      origins[plan.name]
      ?? PersistentIdentifier.Origin(storeIdentifier: storeIdentifier, entityName: plan.name)
    self.links = links
    extras = UnsafeBufferPointer(start: nil, count: 0)
    row = _RowReader(
      cells: UnsafeBufferPointer(start: nil, count: 0), plan: plan, state: nil)
  }

  /// Moves to a row of the plan's entity.
  package mutating func move(
    to rowID: Int64, _ cells: UnsafeBufferPointer<_Cell>, extras: UnsafeBufferPointer<_Cell>,
    texts: UnsafeMutablePointer<ShortStringCache>? = nil
  ) {
    self.rowID = rowID
    self.extras = extras
    row.cells = cells
    row.texts = texts
    row.column = 0
    row.property = 0
  }

  /// Moves to a row of the plan's entity or of a subclass.
  package mutating func move(to stored: RowView, extras: UnsafeBufferPointer<_Cell>) {
    if stored.plan !== row.plan {
      row = _RowReader(cells: stored.cells, plan: stored.plan, state: nil)
      origin = origin(of: stored.plan.name)
    }
    move(to: stored.rowID, stored.cells, extras: extras)
  }

  /// The identity of the row.
  public var persistentModelID: PersistentIdentifier? { PersistentIdentifier(origin, rowID: rowID) }

  private mutating func origin(of entity: String) -> PersistentIdentifier.Origin {
    if let known = origins[entity] { return known }
    let made = PersistentIdentifier.Origin(storeIdentifier: storeIdentifier, entityName: entity)
    origins[entity] = made
    return made
  }

  /// Skips a property that isn't part of the snapshot.
  public mutating func skip() throws {
    let properties = row.plan.properties
    guard properties.indices.contains(row.property) else { throw row.rowTooShort() }
    row.column += properties[row.property].columns.count
    row.property += 1
  }
}

// MARK: - One overload for each kind of property

extension _SnapshotReader {
  @inlinable
  public mutating func value<Value: _ColumnValue>(of type: Value.Type) throws -> Value {
    row.property += 1
    return try Value._decode(from: &row)
  }

  @inlinable
  public mutating func value<Value: RawRepresentable & Codable>(
    of type: Value.Type
  ) throws -> Value where Value.RawValue: _ColumnValue {
    let stored: _Stored<Value> = try row.read()
    return try unwrap(stored)
  }

  @inlinable
  public mutating func value<Value: RawRepresentable & Codable>(
    of type: Value?.Type
  ) throws -> Value? where Value.RawValue: _ColumnValue {
    let stored: _Stored<Value?> = try row.read()
    return try unwrap(stored)
  }

  @_disfavoredOverload
  public mutating func value<Value: Codable>(of type: Value.Type) throws -> Value {
    let stored: _Stored<Value> = try row.read()
    return try unwrap(stored)
  }

  /// Reads a property with `.codable`.
  public mutating func opaque<Value: Codable>(of type: Value.Type) throws -> Value {
    let stored: _Stored<Value> = try row.readOpaque()
    return try unwrap(stored)
  }

  @usableFromInline
  func unwrap<Value>(_ stored: _Stored<Value>) throws -> Value {
    guard let value = stored.value else { throw row.rowTooShort() }
    return value
  }

  public mutating func value<Destination: PersistentModel>(
    of type: Destination.Type
  ) throws -> PersistentIdentifier? {
    try reference()
  }

  public mutating func value<Destination: PersistentModel>(
    of type: Destination?.Type
  ) throws -> PersistentIdentifier? {
    try reference()
  }

  /// Reads the destination of a to-one relationship.
  public mutating func reference() throws -> PersistentIdentifier? {
    let property = row.property
    let hasColumn = row.plan.properties[property].columns.isEmpty == false
    let own = hasColumn ? try row.next() : _Cell(kind: .null)
    row.property += 1
    guard let link = links[property] else { return nil }
    let key = link.key.map { extras[$0] } ?? own
    switch key.kind {
    case .null: return nil
    case .integer: break
    default: throw row.mismatch(expected: "row id of \(link.entity)", key)
    }
    var entity = link.entity
    if let subclass = link.subclass, extras[subclass].kind == .text {
      entity = row.text(of: extras[subclass])
    }
    return PersistentIdentifier(origin(of: entity), rowID: key.bits)
  }
}
