import Foundation

/// A type whose values become one parameter of a comparison, encoded as ``ConstantEncoding`` does.
protocol ShapedConstant {
  /// The parameter; nil for a value whose comparison has different SQL: nil, NaN, and strings that are equal to strings
  /// with other bytes.
  func parameter(isEquality: Bool) -> SQLValue?
}

extension String: ShapedConstant {
  func parameter(isEquality: Bool) -> SQLValue? {
    isEquality && !TextConstant.hasUniqueEncoding(self) ? nil : .text(self)
  }
}

extension Bool: ShapedConstant {
  func parameter(isEquality: Bool) -> SQLValue? { .integer(self ? 1 : 0) }
}

extension Double: ShapedConstant {
  func parameter(isEquality: Bool) -> SQLValue? { isNaN ? nil : .real(self) }
}

extension Date: ShapedConstant {
  func parameter(isEquality: Bool) -> SQLValue? {
    timeIntervalSinceReferenceDate.parameter(isEquality: isEquality)
  }
}

extension UUID: ShapedConstant {
  func parameter(isEquality: Bool) -> SQLValue? {
    .blob(withUnsafeBytes(of: uuid) { Array($0) })
  }
}

extension ShapedConstant where Self: FixedWidthInteger {
  func parameter(isEquality: Bool) -> SQLValue? { .integer(Int64(self)) }
}

// Without the unsigned 64-bit types, whose largest numbers are blobs.
extension Int: ShapedConstant {}
extension Int8: ShapedConstant {}
extension Int16: ShapedConstant {}
extension Int32: ShapedConstant {}
extension Int64: ShapedConstant {}
extension UInt8: ShapedConstant {}
extension UInt16: ShapedConstant {}
extension UInt32: ShapedConstant {}

extension Optional: ShapedConstant where Wrapped: ShapedConstant {
  func parameter(isEquality: Bool) -> SQLValue? {
    flatMap { $0.parameter(isEquality: isEquality) }
  }
}
