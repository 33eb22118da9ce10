/// Checks that a transaction may write to the database. Call it when the transaction has begun.
protocol TransactionGuard: AnyObject {
  /// - Throws: The error of a transaction that must not write.
  func check(_ connection: Connection) throws
}

/// Records the changes that the transactions of a connection make.
protocol ChangeRecorder: AnyObject {
  /// Discards the changes of the current transaction, which is rolled back.
  func abandon()
}
