import Foundation

/// The error of a stored row that doesn't hold what its model expects: another program wrote to the file, or the file
/// is damaged.
public struct RowDecodingError: Error, Hashable, CustomStringConvertible {
  /// The entity whose row was read.
  public let entity: String
  /// The column that was read.
  public let column: String
  /// The value that the model's property needs.
  public let expected: String
  /// The value that the row has: a storage class or a raw value.
  public let found: String
  /// The model that the row belongs to; nil when it isn't known.
  public internal(set) var row: PersistentIdentifier?

  @usableFromInline
  package init(entity: String, column: String, expected: String, found: String) {
    self.entity = entity
    self.column = column
    self.expected = expected
    self.found = found
  }

  public var description: String {
    let place = row?.rowID.map { " in row \($0)" } ?? ""
    return
      "The stored value of \(entity).\(column)\(place) can't be read: expected \(expected), found"
      + " \(found). Give it another one with ModelContainer.batchUpdate, delete the model with batchDelete,"
      + " or restore the file from a copy. fetch(_:batchSize:) gives the models that can be read."
  }

  /// The same error with the model that the row belongs to.
  func located(at row: PersistentIdentifier) -> RowDecodingError {
    var located = self
    located.row = self.row ?? row
    return located
  }
}

extension RowDecodingError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
