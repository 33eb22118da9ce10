/// Compares secrets in constant time: every byte is read, and no branch depends on one.
enum ConstantTime {
  /// - Parameters:
  ///   - left: The bytes to compare.
  ///   - right: The same number of bytes.
  /// - Returns: 0 for equal bytes.
  static func difference(
    _ left: some RandomAccessCollection<UInt8>, _ right: some RandomAccessCollection<UInt8>
  ) -> UInt8 {
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference
  }

  /// Returns all ones for 0, otherwise 0.
  static func mask(ofZero difference: UInt8) -> Int {
    // For 0, subtracting 1 borrows from all bits above the lowest eight.
    (Int(difference) - 1) >> 8
  }
}
