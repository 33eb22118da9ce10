import SwiftDataCore

/// A row ID in a statement's result, as a reference to a model.
public struct RowReference<Model: PersistentModel>: Hashable, Sendable, SQLConvertible {
  /// The value of `_id`.
  public let rowID: Int64

  /// The identifier of the model. Its entity is `Model`, though the row may be of a subclass.
  ///
  /// - Parameter context: The context that the row came from.
  /// - Throws: ``SwiftDataError/unknownSchema``.
  public func persistentModelID(in context: ModelContext) throws -> PersistentIdentifier {
    let entry = try context.entry(for: Model.self)
    return entry.identifier(rowID: rowID)
  }

  public static func _decodeSQL(from reader: inout _RowReader) throws -> RowReference {
    RowReference(rowID: try Int64._decode(from: &reader))
  }
  public var _sqlConstant: (any _ColumnValue)? { rowID }
}
