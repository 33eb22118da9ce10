/// A trigger that runs for each changed row.
package struct SQLTrigger: Sendable {
  package let name: String
  /// The event and the quoted table, such as `AFTER DELETE ON "Quake"`.
  package let event: String
  /// The condition on `OLD` and `NEW`; nil for every row.
  package let condition: String?
  package let statements: [String]

  package init(name: String, event: String, condition: String? = nil, statements: [String]) {
    self.name = name
    self.event = event
    self.condition = condition
    self.statements = statements
  }
}
