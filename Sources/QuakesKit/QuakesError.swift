/// What can go wrong in the earthquake application.
public struct QuakesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// A text that should name a feed, a time or an order does not.
    public static let invalidArgument = Code(name: "invalid argument")
    /// The feed cannot be reached, or it refuses.
    public static let feedUnavailable = Code(name: "feed unavailable")
    /// The feed is busy; later may work.
    public static let tryAgainLater = Code(name: "try again later")
    /// What the feed sent is not an earthquake feed.
    public static let badData = Code(name: "bad data")
    /// The store cannot be opened, read or written.
    public static let storeFailure = Code(name: "store failure")
    /// There is no such file of a feed.
    public static let noSuchFile = Code(name: "no such file")
    /// A file of the program cannot be read, or a port is taken.
    public static let inputOutput = Code(name: "input/output")
    /// There is no such event.
    public static let notFound = Code(name: "not found")
  }

  /// The kind of failure.
  public let code: Code
  /// What it is about: an argument, a file, an address, an identifier.
  public let subject: String
  /// What happened and what to do, safe to show.
  public let reason: String

  /// An error about `subject`.
  public init(_ code: Code, _ subject: String, reason: String) {
    self.code = code
    self.subject = subject
    self.reason = reason
  }

  public var description: String { subject.isEmpty ? reason : "\(subject): \(reason)" }
}
