/// An error of compression or expansion.
public struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// zlib couldn't start because there isn't enough memory.
    public static let outOfMemory = Code(name: "out of memory")
    /// The bytes are not compressed data, or the data is damaged.
    public static let damaged = Code(name: "damaged gzip data")
    /// The compressed data ends too early.
    public static let truncated = Code(name: "truncated gzip data")
    /// Expansion would produce more bytes than allowed.
    public static let tooLarge = Code(name: "too much data after expansion")
  }

  /// The kind of failure.
  public let code: Code
  /// The code that zlib reported; for `truncated` the number of bytes that were expanded, for `tooLarge` the limit.
  public let detail: Int
  /// The message that zlib reported; nil if there is none.
  public let message: String?

  init(code: Code, detail: Int, message: String? = nil) {
    self.code = code
    self.detail = detail
    self.message = message
  }

  public var description: String { "\(code.name) (\(detail))" }
}
