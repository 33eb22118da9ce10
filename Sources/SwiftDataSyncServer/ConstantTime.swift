/// Comparing without telling by the time what was compared: every byte is read, nothing branches on one.
enum ConstantTime {
  /// - Parameters:
  ///   - left: Bytes.
  ///   - right: As many bytes.
  /// - Returns: 0 for equal bytes.
  static func difference(
    _ left: some RandomAccessCollection<UInt8>, _ right: some RandomAccessCollection<UInt8>
  ) -> UInt8 {
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference
  }

  /// All ones for 0, else 0.
  static func mask(ofZero difference: UInt8) -> Int {
    // 0 - 1 borrows from all the bits above the eight.
    (Int(difference) - 1) >> 8
  }
}
