/// What can go wrong while content is compressed or expanded.
public struct ContentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// zlib refused to start: memory is short.
    public static let outOfMemory = Code(name: "out of memory")
    /// The bytes are not a gzip stream, or they are damaged.
    public static let damaged = Code(name: "damaged gzip data")
    /// The gzip stream ends too early.
    public static let truncated = Code(name: "truncated gzip data")
    /// Expanding would give more bytes than allowed.
    public static let tooLarge = Code(name: "too much data after expansion")
  }

  /// The kind of failure.
  public let code: Code
  /// What zlib reported, or the limit that was reached.
  public let detail: Int

  public var description: String { "\(code.name) (\(detail))" }
}
