/// The key of the columns that `@Attribute(.allowsCloudEncryption)` encrypts: 32 bytes that nobody can guess.
///
/// Make one with ``init()``, keep ``bytes`` where the platform keeps secrets, and give it to
/// ``ModelConfiguration/encryptionKey``. Whoever loses it loses the columns. A password isn't a key: derive one from
/// it with a slow function such as Argon2 or PBKDF2 first.
///
/// An addition to Apple's interface, where iCloud has the keys.
public struct EncryptionKey: Hashable, Sendable {
  /// The key itself.
  public let bytes: [UInt8]

  /// A new key from the system's random numbers.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<4).flatMap { _ in
      withUnsafeBytes(of: generator.next()) { Array($0) }
    }
  }

  /// A key that was made before; nil unless there are 32 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    self.bytes = Array(bytes)
  }
}

/// Logs and debuggers show that there is a key, not the key.
extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "EncryptionKey(hidden)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
