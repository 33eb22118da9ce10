import Foundation

/// The key of a transaction in the history, by which a save that is run again finds out whether it was stored. It
/// begins with the number of the store's instance that saves, so that a watcher knows that instance's own transactions.
struct TransactionKey: Sendable, Hashable {
  private let source: UInt64
  private let number: UInt64

  /// - Parameter source: The number of the instance, random.
  init(source: UInt64) {
    self.source = source
    number = .random(in: .min ... .max)
  }

  /// The bytes of the UUID.
  var bytes: [UInt8] {
    withUnsafeBytes(of: source.bigEndian) { Array($0) }
      + withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Whether a key is one of an instance's.
  static func isOf(_ source: UInt64, _ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == 16 && UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) == source
  }
}
