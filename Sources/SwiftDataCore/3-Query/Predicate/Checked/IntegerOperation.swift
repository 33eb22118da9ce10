import Foundation

/// Integer arithmetic that reports a missing result, in memory and in SQL.
package enum IntegerOperation: String, Sendable, CaseIterable {
  case add
  case subtract
  case multiply
  case divide
  case remainder

  /// The reason for a missing result. The values belong to the user and aren't included.
  package static let failure =
    "a sum, difference, product or quotient is too large for its type, or a divisor is 0."

  /// The function's name in SQL. It takes two integers of 64 bits and fails when there is no
  /// result.
  package var function: String { "osd_\(rawValue)" }

  /// The result; nil for an overflow and for a division by zero.
  package func result<Integer: FixedWidthInteger>(
    _ first: Integer, _ second: Integer
  ) -> Integer? {
    let (value, overflow) =
      switch self {
      case .add: first.addingReportingOverflow(second)
      case .subtract: first.subtractingReportingOverflow(second)
      case .multiply: first.multipliedReportingOverflow(by: second)
      case .divide: first.dividedReportingOverflow(by: second)
      case .remainder: first.remainderReportingOverflow(dividingBy: second)
      }
    return overflow ? nil : value
  }

  /// The result for two numbers whose type is known to be an integer only at run time.
  func checked<Number>(_ first: Number, _ second: Number) throws -> Number {
    guard let integer = first as? any FixedWidthInteger,
      let result = open(integer, second) as? Number
    else { throw SwiftDataError.evaluationFailure(Self.failure) }
    return result
  }

  private func open<Integer: FixedWidthInteger>(_ first: Integer, _ second: Any) -> Integer? {
    guard let second = second as? Integer else { return nil }
    return result(first, second)
  }
}
