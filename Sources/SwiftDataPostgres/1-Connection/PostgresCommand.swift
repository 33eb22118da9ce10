import SwiftDataCore

/// A statement with the values of its parameters, which its text names `$1`, `$2` and so on.
package struct PostgresCommand: Sendable {
  package let sql: String
  package var values: [PostgresValue]
  /// Whether a statement without values is prepared under a name, as those with values are.
  var isFrequent = false

  package init(_ sql: String, _ values: [PostgresValue] = []) {
    self.sql = sql
    self.values = values
  }

  /// A statement without values.
  init(_ sql: String, isFrequent: Bool) {
    self.init(sql, [PostgresValue]())
    self.isFrequent = isFrequent
  }

  package init(_ sql: String, _ values: [ColumnValue]) {
    self.init(sql, values.map { .value($0) })
  }
}

/// The name and the parameter types of a statement on a connection.
struct PostgresStatementForm {
  /// The name under which the server has prepared it; empty for a statement that is sent as text each time.
  let name: String
  let types: [PostgresType]
  /// Whether the statement is counted and logged, see ``PostgresConnection/isCounted(_:)``.
  let isCounted: Bool

  init(name: String, types: [PostgresType], of sql: String) {
    self.name = name
    self.types = types
    isCounted = PostgresConnection.isCounted(sql)
  }

  /// A statement without values and a name.
  static func unprepared(_ sql: String) -> Self { .init(name: "", types: [], of: sql) }
}

/// The forms of statements by their texts. The oldest is given up for a new one when there are too many.
struct PostgresStatementCache {
  private static let maximumCount = 512

  private var forms: [String: PostgresStatementForm] = [:]
  private var order: [String] = []
  private var nextNumber = 0
  /// The number of forms that were given up.
  private(set) var dropCount = 0

  subscript(sql: String) -> PostgresStatementForm? { forms[sql] }

  /// Returns a new name.
  mutating func makeName() -> String {
    nextNumber += 1
    return "osd\(nextNumber)"
  }

  /// Adds a form.
  ///
  /// - Returns: The name of a statement that is to be deallocated.
  mutating func insert(_ form: PostgresStatementForm, for sql: String) -> String? {
    var dropped: String?
    if order.count >= Self.maximumCount {
      dropped = forms.removeValue(forKey: order.removeFirst())?.name
      dropCount += 1
    }
    forms[sql] = form
    order.append(sql)
    return dropped.flatMap { $0.isEmpty ? nil : $0 }
  }

  mutating func remove(_ sql: String) {
    guard forms.removeValue(forKey: sql) != nil else { return }
    order.removeAll { $0 == sql }
  }
}
