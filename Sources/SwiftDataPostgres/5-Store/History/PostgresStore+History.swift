import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// The store's history: a transaction for every save that changed something, by any program that uses this library.
///
/// ``PostgresConfiguration/historyRetention`` determines how far back it goes.
extension PostgresStore: HistoryProviding {
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
  ///   some of these are already deleted or the token is from a later state of the database; ``StoreError`` when the
  ///   server can't be asked.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try withHistory { try transactions(descriptor, $0) }
  }

  /// Deletes transactions permanently. Afterwards an older token has expired for a reader that would miss one of them:
  /// a reader that asks only for the transactions of other authors can continue.
  ///
  /// - Throws: ``StoreError`` when the store is read-only or can't be written.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try requireWritable()
    try withConnection { connection in
      let metadata = metadata(connection)
      try metadata.prepareDeletion()
      try connection.transaction {
        let conditions = try conditions(descriptor)
        let numbers =
          descriptor.limit == nil && conditions.isExact
          ? try self.numbers(conditions, connection)
          : try transactions(descriptor, connection, checksToken: false)
            .map(\.transactionIdentifier)
        try metadata.delete(numbers)
      }
    }
  }

  /// Runs `body` on one snapshot of the database.
  func withHistory<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    try withConnection { connection in
      try connection.transaction(.reading) { try body(connection) }
    }
  }

  /// The conditions in PostgreSQL's form.
  func conditions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> HistoryConditions {
    try HistoryConditions(
      descriptor.predicate, store: identifier,
      forms: .init(
        author: "normalize(t.author, NFC) = normalize(?::text, NFC)", truth: "?::bigint = 1"))
  }

  private func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ connection: PostgresConnection,
    checksToken: Bool = true
  ) throws -> [DefaultHistoryTransaction] {
    let conditions = try conditions(descriptor)
    if conditions.hasUnsupportedText { return [] }
    if checksToken, let start = conditions.startToken {
      try metadata(connection).check(start, of: name, wants: conditions.mayMatch(author:))
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

  private func numbers(
    _ conditions: HistoryConditions, _ connection: PostgresConnection
  ) throws -> [Int64] {
    if conditions.hasUnsupportedText { return [] }
    let rows = try connection.run(
      PostgresStatementText.finished(
        "SELECT t.number FROM \"_history_transaction\" AS t" + conditions.clause),
      conditions.bindings)
    return (0..<rows.rowCount).compactMap { rows.integer($0, 0) }
  }

  func metadata(_ connection: PostgresConnection) -> HistoryMetadata {
    HistoryMetadata(connection: connection, address: address)
  }

  func token(after number: Int64) -> DefaultHistoryToken {
    DefaultHistoryToken(store: identifier, transaction: number)
  }
}

extension HistoryConditions {
  /// Whether an author is asked for that the server can't hold, so that no transaction matches.
  fileprivate var hasUnsupportedText: Bool {
    bindings.contains { binding in
      if case .text(let text) = binding { text.utf8.contains(0) } else { false }
    }
  }
}

// MARK: - For contexts and observers

extension PostgresStore {
  package var recordsHistory: Bool { true }

  package func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent] {
    let start = (token as? DefaultHistoryToken)?.tokenValue?[identifier]
    return try withHistory { connection in
      try historyEvents(after: start, authors: authors, of: connection).map(\.event)
    }
  }

  /// Returns the same in a transaction, with the keys of the transactions.
  func historyEvents(
    after start: Int64?, authors: Set<String> = [], of connection: PostgresConnection
  ) throws -> [(number: Int64, isOwn: Bool, event: StoreHistoryEvent)] {
    if let start {
      try metadata(connection).check(start, of: name) { author in
        authors.isEmpty || author.map(authors.contains) ?? false
      }
    }
    let rows = try connection.run(
      "SELECT t.number, t.author, string_agg(l.entity, chr(10)), t.key"
        + " FROM \"_history_transaction\" AS t"
        + " LEFT JOIN \"_history_change\" AS c ON c.number = t.number"
        + " LEFT JOIN \"_history_layout\" AS l ON l.id = c.layout"
        + " WHERE t.number > $1 GROUP BY t.number ORDER BY t.number", [.integer(start ?? 0)])
    return (0..<rows.rowCount).map { row in
      let number = rows.integer(row, 0) ?? 0
      let entities = (rows.text(row, 2) ?? "").split(separator: "\n").map(String.init)
      return (
        number, rows.data(row, 3).map { TransactionKey.isOf(source, $0) } ?? false,
        StoreHistoryEvent(
          entities: Set(entities), author: rows.text(row, 1), token: token(after: number))
      )
    }
  }

  package func lastHistoryToken() throws -> (any HistoryToken)? {
    let last = try withConnection { connection in
      try noticeCommits(connection)
      return try connection.reading { try metadata(connection).ends().last }
    }
    return last == 0 ? nil : token(after: last)
  }
}

extension PostgresStore: HistorySource {
  package var historyPath: String { address }

  package func preservedValue(
    of property: Int, in cells: UnsafeBufferPointer<_Cell>, _ plan: EntityPlan
  ) throws -> (any Sendable)? {
    guard let cipher = cipher[plan] else { return try plan.value(of: property, in: cells) }
    return try cipher.open(cells, address: address) { try plan.value(of: property, in: $0) }
  }
}
