import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The store's history: a transaction for every save and every batch that changed something, by any program that uses
/// this library. A file that was created before the history existed, and is opened read-only, has none.
///
/// ``ModelConfiguration/historyRetention`` determines how far back it goes.
extension DefaultStore: HistoryProviding {
  public typealias HistoryType = DefaultHistoryTransaction
  /// The type of the history's tokens.
  public typealias TokenType = DefaultHistoryToken

  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// Finds transactions, the oldest first unless the descriptor says otherwise.
  ///
  /// The database searches ranges of tokens, times and transaction identifiers, and authors, when they stand alone or
  /// are joined by `&&`; everything else is evaluated on the transactions.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` when the predicate asks for the transactions after a token, and
  ///   some of these are already deleted or the token is from a later state of the file; ``StoreError`` when the file
  ///   can't be read.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try withHistory { try transactions(descriptor, $0) } ?? []
  }

  /// Deletes transactions permanently. Afterwards an older token has expired for a reader that would miss one of them:
  /// a reader that asks only for the transactions of other authors can continue.
  ///
  /// - Throws: ``StoreError`` when the store is read-only or can't be written.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try withWriter { connection in
      try connection.transaction {
        try HistoryTables.countUnrecordedCommit(on: connection)
        let conditions = try HistoryConditions(descriptor.predicate, store: identifier)
        if descriptor.limit == nil, conditions.isExact {
          try HistoryTables.delete(numbers(conditions, connection), on: connection)
        } else {
          let found = try transactions(descriptor, connection, checksToken: false)
          try HistoryTables.delete(found.map(\.transactionIdentifier), on: connection)
        }
      }
    }
  }

  /// Runs `body` on one snapshot of the database; nil when it has no history.
  func withHistory<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
    guard hasHistory else { return nil }
    return try withReader { connection in try connection.inSnapshot { try body(connection) } }
  }

  private func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ connection: Connection,
    checksToken: Bool = true
  ) throws -> [DefaultHistoryTransaction] {
    let conditions = try HistoryConditions(descriptor.predicate, store: identifier)
    if checksToken, let start = conditions.startToken {
      try check(start, connection, wants: conditions.mayMatch(author:))
    }
    var found: [DefaultHistoryTransaction] = []
    try HistoryReader(self, connection).forEach(conditions) { transaction in
      if try conditions.isExact || descriptor.predicate?.evaluate(transaction) ?? true {
        found.append(transaction)
      }
      return !descriptor.sortBy.isEmpty || found.count < descriptor.limit ?? .max
    }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    return Array(found.prefix(descriptor.limit ?? found.count))
  }

  private func numbers(_ conditions: HistoryConditions, _ connection: Connection) throws -> [Int64]
  {
    let statement = try connection.statement(
      "SELECT t.number FROM \"_history_transaction\" AS t" + conditions.clause)
    defer { statement.reset() }
    try statement.bind(conditions.bindings)
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.rowID()) }
    return numbers
  }

  /// Checks that all transactions after `start` still exist.
  ///
  /// - Parameter wants: Whether an author's transactions are requested; by default those of all authors are.
  func check(
    _ start: Int64, _ connection: Connection, wants: (String?) throws -> Bool = { _ in true }
  ) throws {
    let mark = try HistoryTables.mark(on: connection)
    guard try !HistoryGaps.missDeletions(start, before: mark, on: connection, wants: wants) else {
      throw SwiftDataError.historyTokenExpired.explained(
        "Transactions of the history of \(name) up to \(mark) have been deleted, and the token stands at"
          + " \(start). Read the models anew, then go on from the newest token.")
    }
    let last = try HistoryTables.last(on: connection).number
    guard start <= last else {
      throw SwiftDataError.historyTokenExpired.explained(
        "The token stands at transaction \(start), but the history of \(name) ends at \(last): the"
          + " file is an older copy. Read the models anew, then go on from the newest token.")
    }
  }
}

// MARK: - For contexts and observers

extension DefaultStore {
  package var recordsHistory: Bool { hasHistory }

  package func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent] {
    let start = (token as? DefaultHistoryToken)?.tokenValue?[identifier]
    return try withHistory { try historyEvents(after: start, authors: authors, of: $0) } ?? []
  }

  /// Returns the same on a connection that reads one snapshot of the database, of a store with a history.
  func historyEvents(
    after start: Int64?, authors: Set<String> = [], of connection: Connection
  ) throws -> [StoreHistoryEvent] {
    if let start {
      try check(start, connection) { author in
        authors.isEmpty || author.map(authors.contains) ?? false
      }
    }
    let statement = try connection.statement(
      "SELECT t.number, t.author, group_concat(l.entity, char(10))"
        + " FROM \"_history_transaction\" AS t"
        + " LEFT JOIN \"_history_change\" AS c ON c.number = t.number"
        + " LEFT JOIN \"_history_layout\" AS l ON l.id = c.layout"
        + " WHERE t.number > ? GROUP BY t.number ORDER BY t.number")
    defer { statement.reset() }
    try statement.bind([.integer(start ?? 0)])
    var events: [StoreHistoryEvent] = []
    while try statement.step() {
      let author = statement.row(from: 0)[1].kind == .null ? nil : statement.string(at: 1)
      let entities = statement.string(at: 2).split(separator: "\n").map(String.init)
      events.append(
        StoreHistoryEvent(
          entities: Set(entities), author: author, token: token(after: statement.rowID())))
    }
    return events
  }

  package func lastHistoryToken() throws -> (any HistoryToken)? {
    let last = try withHistory { try HistoryTables.last(on: $0).number } ?? 0
    return last == 0 ? nil : token(after: last)
  }
}
