/// An error of the engine: a store can't be synchronized, or a call failed.
public struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error; more may be added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Other authors write to the store without a pause.
    public static let busy = Code(rawValue: "busy")
    /// A model, a property or a store can't be synchronized.
    public static let unsupported = Code(rawValue: "unsupported")
    /// The engine's data in the store can't be read.
    public static let damaged = Code(rawValue: "damaged")
    /// The folder of attachments can't be written to, or an attachment is missing from it.
    public static let attachmentFolder = Code(rawValue: "attachmentFolder")
    /// A newer version of this library has written what the engine keeps in the store.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The store was opened read-only, and no engine has prepared it for this version.
    public static let readOnly = Code(rawValue: "readOnly")
    /// A bearer token is invalid.
    public static let invalidToken = Code(rawValue: "invalidToken")
  }

  /// The kind of error.
  public let code: Code
  /// The problem, its place and the remedy; without values of properties.
  public let description: String

  /// Creates an error.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  static func newer(_ unknown: String) -> SyncError {
    SyncError(
      .newerFormat,
      "A newer program has synchronized the store, and keeps there what this one doesn't know (\(unknown)). Use a"
        + " newer version of this program.")
  }

  static let busy = SyncError(
    .busy, "The store changes faster than it can be read. Pause what writes to it and try again.")
}
