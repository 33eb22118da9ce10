/// An error of compression or expansion.
public struct ContentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// zlib couldn't start because there isn't enough memory.
    public static let outOfMemory = Code(name: "out of memory")
    /// The bytes are not a gzip stream, or the stream is damaged.
    public static let damaged = Code(name: "damaged gzip data")
    /// The gzip stream ends too early.
    public static let truncated = Code(name: "truncated gzip data")
    /// Expansion would produce more bytes than allowed.
    public static let tooLarge = Code(name: "too much data after expansion")
  }

  /// The kind of failure.
  public let code: Code
  /// The code that zlib reported, or the limit that was reached.
  public let detail: Int

  public var description: String { "\(code.name) (\(detail))" }
}
