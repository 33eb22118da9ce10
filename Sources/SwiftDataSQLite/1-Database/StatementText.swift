import Synchronization

/// The text of a statement that may be used repeatedly. Connections find its prepared form by the address of this
/// object.
final class StatementText: Sendable {
  let sql: String
  private let wasUsed = Atomic<Bool>(false)

  init(_ sql: String) { self.sql = sql }

  /// Records that the text is used.
  ///
  /// - Returns: Whether it was used before.
  func use() -> Bool {
    if wasUsed.load(ordering: .relaxed) { return true }
    wasUsed.store(true, ordering: .relaxed)
    return false
  }
}
