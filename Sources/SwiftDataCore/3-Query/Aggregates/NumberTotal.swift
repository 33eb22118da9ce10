import Foundation

/// The sum of some numbers and their count. Stores and contexts add with this same type, so that both get the same
/// result.
///
/// Integers are added exactly, in any order; binary fractions with Neumaier's compensation (A. Neumaier,
/// "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54, 1974), so that at most the last
/// bit depends on the order; decimal numbers as `Decimal` adds them.
public struct _NumberTotal: Sendable {
  package private(set) var count = 0
  package private(set) var integers: Int128 = 0
  private var real = 0.0
  private var compensation = 0.0
  private var decimal = Decimal(0)
  private var hasNaN = false

  package init() {}

  package mutating func add(_ integer: some FixedWidthInteger) {
    count += 1
    // A table has fewer than 2⁶³ rows, so 128 bits are enough for integers of 64 bits.
    integers += Int128(integer)
  }

  package mutating func add(_ number: Double) {
    count += 1
    let sum = real + number
    if sum.isFinite {
      compensation += abs(real) >= abs(number) ? (real - sum) + number : (number - sum) + real
    }
    real = sum
  }

  package mutating func add(_ number: Decimal) {
    count += 1
    if number.isNaN { hasNaN = true } else { decimal += number }
  }

  package mutating func addNaN() {
    count += 1
    hasNaN = true
  }

  // MARK: Results

  package var double: Double {
    if hasNaN { return .nan }
    return (real.isFinite ? real + compensation : real) + Double(integers)
  }

  package var decimalNumber: Decimal {
    if hasNaN { return .nan }
    return integers == 0 ? decimal : decimal + (Decimal(string: "\(integers)") ?? .nan)
  }

  // MARK: Transfer from a store

  /// The whole state as text, from which ``init(encoded:)`` restores it.
  package var encoded: String {
    "\(count) \(integers) \(real.bitPattern) \(compensation.bitPattern) \(hasNaN ? 1 : 0) \(decimal)"
  }

  /// Restores a total; nil for a text that ``encoded`` didn't make.
  package init?(encoded: String) {
    let parts = encoded.split(separator: " ")
    guard parts.count == 6, let count = Int(parts[0]), let integers = Int128(parts[1]),
      let real = UInt64(parts[2]), let compensation = UInt64(parts[3]),
      let decimal = Decimal(string: String(parts[5]))
    else { return nil }
    self.count = count
    self.integers = integers
    self.real = Double(bitPattern: real)
    self.compensation = Double(bitPattern: compensation)
    self.hasNaN = parts[4] == "1"
    self.decimal = decimal
  }
}
