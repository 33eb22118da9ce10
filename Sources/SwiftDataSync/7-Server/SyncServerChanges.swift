import SwiftDataCore

/// The changes that a user may read, in the order of versions.
struct SyncServerChanges {
  struct Change {
    let object: SyncObjectID
    let version: Int64
    /// Whether the object has left the user's scope.
    let isDeparture: Bool
  }

  private let isVisible: SideTableCondition

  /// - Parameter scope: The user whose objects are included beside those without a scope; nil for only the latter.
  init(scope: String?) {
    isVisible = .any([.isNull("scope"), .equal("scope", ColumnValue(text: scope))])
  }

  /// Returns the changes after a version. Versions aren't divided.
  ///
  /// - Parameter limit: The minimum number of changes, if there are as many.
  func page(
    after version: Int64, limit: Int, _ transaction: any RowReadTransaction
  ) throws -> (changes: [Change], hasMore: Bool) {
    let after = SideTableCondition.greater("version", than: .integer(version))
    let first = try changes(after, limit: limit + 1, transaction)
    guard first.count > limit else { return (first, false) }
    let through = first[limit - 1].version
    // The changes of the last version may be more than were read.
    let isComplete = first[limit].version > through
    let last = SideTableCondition.equal("version", .integer(through))
    let changes =
      first.prefix(limit).filter { isComplete || $0.version < through }
      + (isComplete ? [] : try self.changes(last, limit: nil, transaction))
    if isComplete { return (changes, true) }
    let beyond = SideTableCondition.greater("version", than: .integer(through))
    return (changes, try !self.changes(beyond, limit: 1, transaction).isEmpty)
  }

  /// Returns the first changes whose versions meet a condition: those of objects before departures of one version.
  private func changes(
    _ condition: SideTableCondition, limit: Int?, _ transaction: any RowReadTransaction
  ) throws -> [Change] {
    let objects = try read(
      SideTableQuery(
        SyncServerTables.objects, ["entity", "key", "version"],
        where: .all([condition, isVisible])), limit, isDeparture: false, transaction)
    // An object that has come back into the scope is among the objects.
    let isAway = SideTableCondition.noRow(
      of: SyncServerTables.objects, sharing: ["entity", "key"], where: isVisible)
    let departures = try read(
      SideTableQuery(
        SyncServerTables.departures, ["entity", "key", "version"],
        where: .all([condition, isVisible, isAway])), limit, isDeparture: true, transaction)
    let merged = Self.merged(objects, departures)
    return limit.map { Array(merged.prefix($0)) } ?? merged
  }

  private func read(
    _ query: SideTableQuery, _ limit: Int?, isDeparture: Bool,
    _ transaction: any RowReadTransaction
  ) throws -> [Change] {
    var query = query.ordered(by: "version", "entity", "key")
    query.limit = limit
    var changes: [Change] = []
    try transaction.forEachRow(query) { columns in
      guard let object = ModelSyncStorage.object(columns).first else { return }
      changes.append(
        Change(object: object, version: columns[2].integer ?? 0, isDeparture: isDeparture))
    }
    return changes
  }

  private static func merged(_ objects: [Change], _ departures: [Change]) -> [Change] {
    guard !departures.isEmpty else { return objects }
    var merged: [Change] = []
    merged.reserveCapacity(objects.count + departures.count)
    var rest = departures[...]
    for object in objects {
      while let next = rest.first, next.version < object.version {
        merged.append(next)
        rest = rest.dropFirst()
      }
      merged.append(object)
    }
    return merged + rest
  }
}
