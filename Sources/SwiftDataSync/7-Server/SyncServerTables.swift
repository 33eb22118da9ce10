import SwiftDataCore

/// The bookkeeping tables of a server in its store.
enum SyncServerTables {
  /// The versions and scopes of objects; `deleted` is the time of a tombstone.
  static let objects = SideTable(
    "_syncserver_object",
    [
      .init("entity", .text), .init("key", .text), .init("row", .integer, isOptional: true),
      .init("version", .integer), .init("scope", .text, isOptional: true),
      .init("deleted", .real, isOptional: true),
    ], key: .ordered(["entity", "key"]),
    indices: [
      .init("_syncserver_version", ["version"]), .init("_syncserver_row", ["entity", "row"]),
    ])

  /// The scopes that objects have left, with the versions of these changes.
  static let departures = SideTable(
    "_syncserver_departure",
    [
      .init("version", .integer), .init("entity", .text), .init("key", .text),
      .init("scope", .text, isOptional: true),
    ], key: .ordered(["version", "entity", "key"]))

  /// The outcomes of clients' changes.
  static let answers = SideTable(
    "_syncserver_answer",
    [
      .init("client", .text), .init("change", .text), .init("outcome", .blob),
      .init("time", .real),
    ], key: .ordered(["client", "change"]),
    indices: [.init("_syncserver_answer_time", ["time"])])

  /// One row with the ledger's progress.
  static let progress = SideTable(
    "_syncserver_progress",
    [
      .init("id", .integer), .init("absorbed", .integer), .init("version", .integer),
      .init("forgotten", .integer), .init("revision", .integer),
    ], key: .number)

  /// The ranges of versions that were skipped.
  static let skipped = SideTable(
    "_syncserver_skipped", [.init("first", .integer), .init("last", .integer)],
    key: .ordered(["first"]))

  /// The properties that the last server on the store synchronized; with an empty name, an entity that only servers
  /// before it did.
  static let properties = SideTable(
    "_syncserver_property", [.init("entity", .text), .init("property", .text)],
    key: .ordered(["entity", "property"]))

  /// One row with the number of the last server that has begun to work on the store, and with that of the server that
  /// named the properties.
  static let starts = SideTable(
    "_syncserver_start",
    [.init("id", .integer), .init("begun", .integer), .init("named", .integer)], key: .number)

  static let all = [objects, departures, answers, progress, skipped, properties, starts]
}
