import Foundation

/// Compares texts in the order of lists for display: numbers inside texts count as numbers, then letters without regard
/// to diacritics and case, then diacritics, then lower before upper case.
///
/// The order is total: texts that differ in any scalar are never equal, so that pages of a sorted list never overlap.
/// ASCII texts take a shorter path through the same steps. The order doesn't depend on the machine's locale: a stored
/// index and every process use the same one.
package func localizedStandardCompare(_ lhs: String, _ rhs: String) -> ComparisonResult {
  LocalizedOrder.compare(lhs, rhs, numeric: true)
}

package enum LocalizedOrder {
  package static func compare(_ lhs: String, _ rhs: String, numeric: Bool) -> ComparisonResult {
    var lhs = lhs
    var rhs = rhs
    let ascii: ComparisonResult? = lhs.withUTF8 { left in
      rhs.withUTF8 { right in compareASCII(left, right, numeric: numeric) }
    }
    return ascii ?? compareUnicode(lhs, rhs, numeric: numeric)
  }

  /// Compares two ASCII texts; nil when one of them isn't ASCII.
  package static func compareASCII(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, numeric: Bool
  ) -> ComparisonResult? {
    guard isASCII(left), isASCII(right) else { return nil }
    let primary = order(left, right, numeric: numeric)
    if primary != .orderedSame { return primary }
    // The counterpart of the second step for other texts, where there are no diacritics: leading zeros.
    let digits = numeric ? order(left, right, numeric: false) : .orderedSame
    if digits != .orderedSame { return digits }
    return lastOrder(left, right)
  }

  /// Compares any two texts.
  package static func compareUnicode(
    _ lhs: String, _ rhs: String, numeric: Bool
  ) -> ComparisonResult {
    var left = PortableString.fold(lhs)
    var right = PortableString.fold(rhs)
    let primary = left.withUTF8 { first in
      right.withUTF8 { second in order(first, second, numeric: numeric) }
    }
    if primary != .orderedSame { return primary }
    var first = lhs.folding(options: [.caseInsensitive, .widthInsensitive], locale: nil)
    var second = rhs.folding(options: [.caseInsensitive, .widthInsensitive], locale: nil)
    let marks = first.withUTF8 { left in
      second.withUTF8 { right in order(left, right, numeric: false) }
    }
    if marks != .orderedSame { return marks }
    var original = lhs
    var other = rhs
    return original.withUTF8 { left in other.withUTF8 { right in lastOrder(left, right) } }
  }

  private typealias Bytes = UnsafeBufferPointer<UInt8>

  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for byte in bytes where byte >= 0x80 { return false }
    return true
  }

  /// Compares without regard to case, and digits by their numeric value where `numeric`. Bytes of UTF-8 sort as their
  /// scalars do.
  private static func order(_ left: Bytes, _ right: Bytes, numeric: Bool) -> ComparisonResult {
    var i = 0
    var j = 0
    while i < left.count, j < right.count {
      if numeric, isDigit(left[i]), isDigit(right[j]) {
        let result = number(left, &i, right, &j)
        if result != .orderedSame { return result }
        continue
      }
      let a = weight(left[i])
      let b = weight(right[j])
      if a != b { return a < b ? .orderedAscending : .orderedDescending }
      i += 1
      j += 1
    }
    if i < left.count { return .orderedDescending }
    return j < right.count ? .orderedAscending : .orderedSame
  }

  /// Compares the numbers that begin at `i` and `j`, of any length, and moves both indices past them.
  private static func number(
    _ left: Bytes, _ i: inout Int, _ right: Bytes, _ j: inout Int
  ) -> ComparisonResult {
    while i < left.count, left[i] == 0x30 { i += 1 }
    while j < right.count, right[j] == 0x30 { j += 1 }
    var result = ComparisonResult.orderedSame
    while true {
      let first = i < left.count && isDigit(left[i])
      let second = j < right.count && isDigit(right[j])
      if first != second { return first ? .orderedDescending : .orderedAscending }
      if !first { return result }
      if result == .orderedSame, left[i] != right[j] {
        result = left[i] < right[j] ? .orderedAscending : .orderedDescending
      }
      i += 1
      j += 1
    }
  }

  /// Compares as the last step by the bytes, with lower before upper case.
  private static func lastOrder(_ left: Bytes, _ right: Bytes) -> ComparisonResult {
    let count = min(left.count, right.count)
    for index in 0..<count where left[index] != right[index] {
      let (a, b) = (otherCase(left[index]), otherCase(right[index]))
      return a < b ? .orderedAscending : .orderedDescending
    }
    if left.count == right.count { return .orderedSame }
    return left.count < right.count ? .orderedAscending : .orderedDescending
  }

  /// Swaps the case of an ASCII letter, so that lower case sorts before upper case.
  @inline(__always)
  private static func otherCase(_ byte: UInt8) -> UInt8 {
    (byte | 0x20) &- 0x61 < 26 ? byte ^ 0x20 : byte
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Returns the weight of a byte. The groups (white space, punctuation, digits, letters) have the order of the Unicode
  /// Collation Algorithm's default table (UTS #10), the bytes of a group the order of ASCII.
  @inline(__always)
  private static func weight(_ byte: UInt8) -> UInt8 { weights[Int(byte)] }

  private static let weights: [UInt8] = {
    func group(_ byte: UInt8) -> Int {
      switch byte {
      case 0..<0x21, 0x7F: 0
      case 0x30...0x39: 2
      case 0x41...0x5A, 0x61...0x7A: 3
      case 0x80...: 4
      default: 1
      }
    }
    let order = (UInt8.min...UInt8.max).sorted { (group($0), $0) < (group($1), $1) }
    var weights = [UInt8](repeating: 0, count: 256)
    for (position, byte) in order.enumerated() { weights[Int(byte)] = UInt8(position) }
    for upper in UInt8(0x41)...0x5A { weights[Int(upper)] = weights[Int(upper | 0x20)] }
    return weights
  }()
}
