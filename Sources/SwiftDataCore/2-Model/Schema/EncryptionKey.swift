/// The key of the columns that `@Attribute(.allowsCloudEncryption)` encrypts: 32 random bytes.
///
/// Create one with ``init()``, keep ``bytes`` where the platform keeps secrets, and assign it to the configuration's
/// `encryptionKey`. If the key is lost, the columns can't be read any more. A password isn't a
/// key: derive a key from it with a slow function such as Argon2 or PBKDF2 first.
///
/// An addition to Apple's interface, where iCloud has the keys.
public struct EncryptionKey: Hashable, Sendable {
  /// The key itself.
  public let bytes: [UInt8]

  /// Creates a new key from the system's random numbers.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<4).flatMap { _ in
      withUnsafeBytes(of: generator.next()) { Array($0) }
    }
  }

  /// Creates a key from stored bytes; nil unless there are 32 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    self.bytes = Array(bytes)
  }
}

/// Keeps the key itself out of logs and debuggers, which show only that there is a key.
extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "EncryptionKey(hidden)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
