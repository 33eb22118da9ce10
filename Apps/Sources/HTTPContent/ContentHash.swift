/// A 64-bit FNV-1a hash of bytes: a stable, seedless fingerprint for the entity tags of our own
/// content (not secure against an attacker). Source: Fowler, Noll, Vo, draft-eastlake-fnv.
public struct ContentHash: Hashable, Sendable {
  /// The hash of the bytes so far.
  public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates the hash of no bytes.
  public init() {}

  /// Adds bytes to the hash.
  public mutating func combine(_ bytes: some Sequence<UInt8>) {
    // In a build for debugging, iterating over a generic sequence takes twenty times as long.
    if bytes.withContiguousStorageIfAvailable({ add($0) }) == nil {
      for byte in bytes { value = Self.next(value, byte) }
    }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard var place = bytes.baseAddress else { return }
    let end = place + bytes.count
    while place != end {
      value = Self.next(value, place.pointee)
      place += 1
    }
  }

  private static func next(_ value: UInt64, _ byte: UInt8) -> UInt64 {
    (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  /// Adds an integer to the hash.
  public mutating func combine(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian) { combine($0) }
  }

  /// The hash as a strong entity tag with its quotation marks.
  public var entityTag: String { "\"" + String(value, radix: 36) + "\"" }
}
