/// Why keeping a store equal to a server's isn't possible, or a call to the engine failed.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong; more may come.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The store is written to without a pause.
    public static let busy = Code(rawValue: "busy")
    /// A model, a property or a store can't take part.
    public static let unsupported = Code(rawValue: "unsupported")
    /// What the engine keeps in the store can't be read.
    public static let damaged = Code(rawValue: "damaged")
    /// The folder of attachments can't be written to, or has lost one.
    public static let attachmentFolder = Code(rawValue: "attachmentFolder")
    /// A bearer token can't be used.
    public static let invalidToken = Code(rawValue: "invalidToken")
  }

  public let code: Code
  /// What happened, where, and what to do; without values of properties.
  public let description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  static let busy = SyncError(
    .busy, "The store changes faster than it can be read. Pause what writes to it and try again.")
}
