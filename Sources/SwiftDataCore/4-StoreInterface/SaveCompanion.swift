/// Additional work of a toolkit in the transaction of a context's save, see ``ModelContext/saveCompanion``. A failure
/// undoes the save. A ``KeyedRowStore`` carries it out.
package final class SaveCompanion {
  package let begin: (any RowWriteTransaction) throws -> Void
  package let end: (any RowWriteTransaction) throws -> Void

  /// - Parameters:
  ///   - begin: Called before anything is written; the state that it reads stays valid until the commit.
  ///   - end: Called after all models are written.
  package init(
    begin: @escaping (any RowWriteTransaction) throws -> Void,
    end: @escaping (any RowWriteTransaction) throws -> Void
  ) {
    self.begin = begin
    self.end = end
  }
}
