import Foundation

/// An error while a demo feed is set up.
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
    /// The port is in use, or the address doesn't belong to this machine.
    public static let cannotListen = Code(name: "cannot listen")
    /// A fault with this name doesn't exist.
    public static let unknownFault = Code(name: "unknown fault")
  }

  /// The kind of failure.
  public let code: Code
  /// The file, address or name that the error is about.
  public let subject: String
  /// The system's description of the error.
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
