import Synchronization

/// Records which values of enumerations and other one-byte types were found to come back from their raw values, so that
/// each value is tested once.
final class VerifiedRawValues: @unchecked Sendable {
  // Unchecked: the pointer never changes, and its elements are atomic.
  private let words: UnsafeMutableBufferPointer<Atomic<UInt64>>
  /// One bit for each of 256 values.
  private static let wordsOfProperty = 4

  init(properties: Int) {
    words = .allocate(capacity: properties * Self.wordsOfProperty)
    for index in words.indices { words.initializeElement(at: index, to: Atomic(0)) }
  }

  deinit {
    words.deinitialize()
    words.deallocate()
  }

  /// - Parameters:
  ///   - byte: The value's only byte.
  ///   - property: The position of its property.
  @inline(__always)
  func contains(_ byte: UInt8, of property: Int) -> Bool {
    words[index(byte, property)].load(ordering: .relaxed) & (1 << UInt64(byte & 63)) != 0
  }

  func insert(_ byte: UInt8, of property: Int) {
    words[index(byte, property)].bitwiseOr(1 << UInt64(byte & 63), ordering: .relaxed)
  }

  @inline(__always)
  private func index(_ byte: UInt8, _ property: Int) -> Int {
    property * Self.wordsOfProperty + Int(byte >> 6)
  }
}
