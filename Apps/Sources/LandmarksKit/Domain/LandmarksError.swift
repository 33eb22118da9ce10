/// An error of the landmarks application.
public struct LandmarksError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// An argument that is out of range or matches nothing.
    public static let invalidArgument = Code(name: "invalid argument")
    /// The landmark or reservation doesn't exist.
    public static let notFound = Code(name: "not found")
    /// The server cannot be reached.
    public static let serverUnavailable = Code(name: "server unavailable")
    /// The server doesn't accept the token.
    public static let unauthorized = Code(name: "unauthorized")
    /// The server's answer cannot be used.
    public static let badAnswer = Code(name: "bad answer")
    /// The store cannot be opened, read or written.
    public static let storeFailure = Code(name: "store failure")
    /// The store's file went away while it was open, or another version of the program changed its form.
    public static let storeChanged = Code(name: "store changed")
    /// A file cannot be read.
    public static let inputOutput = Code(name: "input/output")
  }

  /// The kind of failure.
  public let code: Code
  /// The subject of the error: an argument, an address, an identifier.
  public let subject: String
  /// A description of the failure and its remedy, safe to show.
  public let reason: String

  /// An error about `subject`.
  public init(_ code: Code, _ subject: String, reason: String) {
    self.code = code
    self.subject = subject
    self.reason = reason
  }

  public var description: String { subject.isEmpty ? reason : "\(subject): \(reason)" }
}
