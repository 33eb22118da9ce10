/// An error of the earthquake application.
public struct QuakesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// A text that doesn't name a feed, a time or an order, although it should.
    public static let invalidArgument = Code(name: "invalid argument")
    /// The feed cannot be reached, or refuses the request.
    public static let feedUnavailable = Code(name: "feed unavailable")
    /// The feed is busy; a later attempt may succeed.
    public static let tryAgainLater = Code(name: "try again later")
    /// The received document is not an earthquake feed.
    public static let badData = Code(name: "bad data")
    /// The store cannot be opened, read or written.
    public static let storeFailure = Code(name: "store failure")
    /// The file of a feed doesn't exist.
    public static let noSuchFile = Code(name: "no such file")
    /// A file of the program cannot be read, or a port is in use.
    public static let inputOutput = Code(name: "input/output")
    /// The event doesn't exist.
    public static let notFound = Code(name: "not found")
  }

  /// The kind of failure.
  public let code: Code
  /// The subject of the error: an argument, a file, an address, an identifier.
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
