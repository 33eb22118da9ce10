import Foundation
import SwiftDataCore

extension SummableValue where Self: FixedWidthInteger {
  public func _add(to total: inout _NumberTotal) { total.add(self) }
  public static func _average(of total: _NumberTotal) -> Double? {
    total.count == 0 ? nil : total.double / Double(total.count)
  }
}

extension SummableValue where Self: FixedWidthInteger, Total: FixedWidthInteger {
  public static func _total(of total: _NumberTotal) throws -> Total {
    try total.integer(Total.self)
  }
}

extension Int: SummableValue { public typealias Total = Int }
extension Int8: SummableValue { public typealias Total = Int }
extension Int16: SummableValue { public typealias Total = Int }
extension Int32: SummableValue { public typealias Total = Int }
extension Int64: SummableValue { public typealias Total = Int64 }
extension UInt: SummableValue { public typealias Total = UInt }
extension UInt8: SummableValue { public typealias Total = Int }
extension UInt16: SummableValue { public typealias Total = Int }
extension UInt32: SummableValue { public typealias Total = Int }
extension UInt64: SummableValue { public typealias Total = UInt64 }

extension SummableValue where Self: BinaryFloatingPoint {
  public func _add(to total: inout _NumberTotal) {
    if isNaN { total.addNaN() } else { total.add(Double(self)) }
  }
  public static func _total(of total: _NumberTotal) -> Double { total.double }
  public static func _average(of total: _NumberTotal) -> Double? {
    total.count == 0 ? nil : total.double / Double(total.count)
  }
}

extension Double: SummableValue {}
extension Float: SummableValue {}

extension Decimal: SummableValue {
  public func _add(to total: inout _NumberTotal) { total.add(self) }
  public static func _total(of total: _NumberTotal) -> Decimal { total.decimalNumber }
  public static func _average(of total: _NumberTotal) -> Decimal? {
    total.count == 0 ? nil : total.decimalNumber / Decimal(total.count)
  }
}

extension Optional: SummableValue where Wrapped: SummableValue {
  public func _add(to total: inout _NumberTotal) { self?._add(to: &total) }
  public static func _total(of total: _NumberTotal) throws -> Wrapped.Total {
    try Wrapped._total(of: total)
  }
  public static func _average(of total: _NumberTotal) -> Wrapped.Average? {
    Wrapped._average(of: total)
  }
}

extension _NumberTotal {
  /// - Throws: ``SwiftDataError/aggregateOverflow``.
  func integer<Result: FixedWidthInteger>(_ type: Result.Type) throws -> Result {
    guard let result = Result(exactly: integers) else {
      throw SwiftDataError.aggregateOverflow.explained(
        "The sum \(integers) is more than \(type) can hold. Sum fewer models at a time, or ask for"
          + " the average.")
    }
    return result
  }
}
