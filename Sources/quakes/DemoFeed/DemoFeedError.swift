import Foundation

/// What can go wrong when a demo feed is set up.
public struct DemoFeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable {
    let name: String

    /// A capture cannot be read.
    public static let unreadableCapture = Code(name: "cannot read the capture")
    /// A capture is not a GeoJSON feature collection.
    public static let notAFeed = Code(name: "not a GeoJSON feature collection")
    /// A file cannot be written.
    public static let cannotWrite = Code(name: "cannot write the file")
    /// The port is taken, or the address is not this machine's.
    public static let cannotListen = Code(name: "cannot listen")
    /// There is no fault with this name.
    public static let unknownFault = Code(name: "unknown fault")
  }

  /// The kind of failure.
  public let code: Code
  /// The file, address or name that it is about.
  public let subject: String
  /// What the system said.
  public let reason: String

  /// An error about `subject`.
  public init(_ code: Code, _ subject: String, reason: String = "") {
    self.code = code
    self.subject = subject
    self.reason = reason
  }

  public var description: String {
    "demo feed: \(code.name): \(subject)" + (reason.isEmpty ? "" : " (\(reason))")
  }
}

extension DemoFeedError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
