import Foundation

/// A store whose rows a toolkit reads by keys and writes together with tables of its own, in the same transactions.
///
/// The history doesn't contain the side tables.
package protocol KeyedRowStore: NumberedHistory {
  /// Whether the store can be written.
  var allowsSave: Bool { get }

  /// The folder for files that belong to the store; nil for a store without one, whose files end with the program.
  var supportFolder: URL? { get }

  /// Whether the rows of an entity are stored as their models write them: no value is encrypted or in a file.
  func keepsPlainRows(of plan: EntityPlan) -> Bool

  /// Returns the file with a value that is stored outside its row.
  ///
  /// - Returns: nil for a text that can't be a file's name, and when the store keeps no files.
  func externalFile(named name: String) -> URL?

  /// Encrypts bytes with the store's key; without a key, returns them unchanged.
  func seal(_ plain: [UInt8]) throws -> [UInt8]

  /// - Returns: nil when the bytes weren't encrypted by ``seal(_:)`` with this store's key, or were changed.
  func unseal(_ sealed: [UInt8]) -> [UInt8]?

  /// Reads one state of the store.
  func readRows<Result>(_ body: (any RowReadTransaction) throws -> Result) throws -> Result

  /// Writes side tables without a save, in a separate transaction.
  func writeSideTables<Result>(_ body: (any RowWriteTransaction) throws -> Result) throws -> Result

  /// Writes side tables and inserts rows of models without a save. The rows are in the history under `author`, and
  /// contexts and observers are notified of them.
  func writeRows<Result>(
    author: String, _ body: (any RowWriteTransaction) throws -> Result
  ) throws -> Result
}
