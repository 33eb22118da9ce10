import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The marks of saves over several stores: in each file a row of `_metadata` under the identifiers of these stores,
/// with the identifier of the last save. The row is committed with the save, so when a program ends between two
/// commits, the files have different marks.
enum JointSaveMarks {
  static let prefix = "joint."

  static func set(_ joint: JointSave, on connection: Connection) throws {
    guard joint.stores.count > 1 else { return }
    let seconds = joint.date.timeIntervalSinceReferenceDate
    try set("\(joint.identifier.uuidString) \(seconds)", for: joint.stores, on: connection)
  }

  static func set(_ mark: String, for stores: [String], on connection: Connection) throws {
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
    try statement.bind([.text(prefix + stores.joined(separator: ",")), .text(mark)])
    try statement.run()
  }

  /// The last save's mark by the stores that it was written to.
  static func all(on connection: Connection) throws -> [[String]: String] {
    let statement = try connection.statement(
      "SELECT key, value FROM \"_metadata\" WHERE key >= '\(prefix)' AND key < 'joint/'")
    defer { statement.reset() }
    var marks: [[String]: String] = [:]
    while try statement.step() {
      let stores = statement.string(at: 0).dropFirst(prefix.count)
        .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      marks[stores] = statement.string(at: 1)
    }
    return marks
  }

  /// The date of a mark; nil for text that isn't a mark.
  static func date(of mark: String) -> Date? {
    guard let seconds = mark.split(separator: " ").last.flatMap({ Double($0) }), seconds.isFinite
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
}

/// A save over several stores that only some of them contain: the program ended between two commits, or one of the
/// files was replaced by an older copy. An addition to Apple's interface.
public struct IncompleteSave: Hashable, Sendable, CustomStringConvertible {
  /// The date of the save; nil when the files don't contain it.
  public let date: Date?
  /// The names of the configurations whose stores have the save.
  public let committed: [String]
  /// The names of the configurations whose stores don't have it.
  public let missing: [String]

  public var description: String {
    "A save is stored in \(committed.joined(separator: ", ")), but not in"
      + " \(missing.joined(separator: ", "))\(date.map { " (\($0))" } ?? "")."
  }
}

extension ModelContainer {
  /// The saves over several of the container's stores that only some of them contain: at most one for each set of
  /// stores, the last one. A container with several files reports them to ``SwiftDataLog`` when it opens the files.
  ///
  /// The program decides what to do: compare the models and correct them in a save over the same stores, or call
  /// ``settleIncompleteSaves()``. An addition to Apple's interface.
  ///
  /// - Throws: ``StoreError`` when a file can't be read, or another program writes to it for too long.
  public func incompleteSaves() throws -> [IncompleteSave] {
    let stores = jointStores
    guard stores.count > 1 else { return [] }
    let found = try TornSave.all(
      try stores.map { store in (store, try store.withReader { try JointSaveMarks.all(on: $0) }) })
    // Another process may be between two commits: inside transactions of all stores, that can't be the case.
    guard !found.isEmpty, stores.allSatisfy(\.allowsSave) else { return found.map(\.save) }
    return try withTransactions(stores) { held in
      try TornSave.all(held.map { ($0.store, try JointSaveMarks.all(on: $0.connection)) })
        .map(\.save)
    }
  }

  /// Clears the saves that ``incompleteSaves()`` returns. An addition to Apple's interface.
  ///
  /// - Throws: ``StoreError`` when a file can't be written.
  public func settleIncompleteSaves() throws {
    let stores = jointStores
    guard stores.count > 1 else { return }
    try withTransactions(stores) { held in
      let found = try TornSave.all(
        held.map { ($0.store, try JointSaveMarks.all(on: $0.connection)) })
      for torn in found {
        for (store, connection) in held where torn.stores.contains(store.identifier) {
          try JointSaveMarks.set(torn.newest, for: torn.stores, on: connection)
        }
      }
    }
  }

  /// Reports incomplete saves when the stores are opened.
  func reportIncompleteSaves() {
    do {
      for save in try incompleteSaves() {
        SwiftDataLog.report(
          .error, "ModelContainer", "\(save) See ModelContainer.incompleteSaves()")
      }
    } catch {
      SwiftDataLog.report(
        .error, "ModelContainer", "whether saves are incomplete can't be told", error)
    }
  }

  /// The stores that record saves, in the order in which a save commits to them.
  private var jointStores: [DefaultStore] {
    core.stores.compactMap { $0 as? DefaultStore }.filter { $0.jointSaveIdentifier != nil }
      .sorted { $0.identifier < $1.identifier }
  }

  /// Runs `body` within a transaction of each store.
  private func withTransactions<Result>(
    _ stores: [DefaultStore],
    _ body: ([(store: DefaultStore, connection: Connection)]) throws -> Result
  ) throws -> Result {
    func hold(
      _ rest: ArraySlice<DefaultStore>, _ held: [(store: DefaultStore, connection: Connection)]
    ) throws -> Result {
      guard let first = rest.first else { return try body(held) }
      return try first.withWriter { connection in
        try connection.transaction { try hold(rest.dropFirst(), held + [(first, connection)]) }
      }
    }
    return try hold(stores[...], [])
  }
}

/// A set of stores with different marks.
struct TornSave {
  let stores: [String]
  let newest: String
  let save: IncompleteSave

  /// - Parameter marks: The marks of each open store; sets with other stores are ignored.
  static func all(_ marks: [(store: DefaultStore, marks: [[String]: String])]) throws -> [TornSave]
  {
    var byIdentifier: [String: (name: String, marks: [[String]: String])] = [:]
    for (store, marks) in marks { byIdentifier[store.identifier] = (store.name, marks) }
    let sets = Set(marks.flatMap { $0.marks.keys }).filter { set in
      set.count > 1 && set.allSatisfy { byIdentifier[$0] != nil }
    }
    return sets.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { set in
      let found = set.compactMap { byIdentifier[$0] }
      let newest = found.compactMap { $0.marks[set] }.max {
        (JointSaveMarks.date(of: $0) ?? .distantPast, $0)
          < (JointSaveMarks.date(of: $1) ?? .distantPast, $1)
      }
      guard let newest, found.contains(where: { $0.marks[set] != newest }) else { return nil }
      return TornSave(
        stores: set, newest: newest,
        save: IncompleteSave(
          date: JointSaveMarks.date(of: newest),
          committed: found.filter { $0.marks[set] == newest }.map(\.name),
          missing: found.filter { $0.marks[set] != newest }.map(\.name)))
    }
  }
}
