/// The depth to which operations may be nested before the innermost is refused. Codable code that fetches its own class
/// would otherwise recurse until the stack overflows.
enum OperationDepth {
  static let limit = 16

  static func exceeded(_ operation: String) -> SwiftDataError {
    .reentrantOperation.explained(
      "\(operation) has come back to itself \(limit) times, through code that it calls: an"
        + " observer, Codable code or a transformer. Do that work after the operation.")
  }
}

extension SwiftDataError {
  /// An operation was called from code that the same operation runs, and can't be carried out there. An addition to
  /// Apple's interface, where the program ends or hangs.
  public static let reentrantOperation = code(
    "reentrantOperation",
    "The operation was called from code that the same operation runs. Call it afterwards.")
}
