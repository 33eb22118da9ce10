import Foundation
import Synchronization

/// Receives the messages about failures that can't be reported to a caller: an automatic save that failed, results that
/// can't be brought up to date, a file that can't be removed.
///
/// By default a message is a line on standard error. A server that logs elsewhere sets ``handler`` once, before it
/// makes containers:
///
/// ```swift
/// let logger = Logger(label: "store")  // of swift-log
/// SwiftDataLog.handler = { message in
///   switch message.level {
///   case .notice: logger.notice("\(message)")
///   case .warning: logger.warning("\(message)")
///   case .error: logger.error("\(message)")
///   }
/// }
/// ```
///
/// `{ _ in }` silences the messages. A message has no values of properties.
public enum SwiftDataLog {
  /// The severity of a message, named as swift-log names it.
  public enum Level: String, Hashable, Sendable, CaseIterable {
    /// Worth knowing, such as a predicate that is evaluated in memory.
    case notice
    /// Work was left undone, without an effect on any result.
    case warning
    /// A requested operation failed.
    case error
  }

  /// One message.
  public struct Message: Sendable, CustomStringConvertible {
    /// The severity.
    public let level: Level
    /// The part of the framework that reports, such as `ModelContext`.
    public let component: String
    /// The failure and its place, without the error's own text.
    public let text: String
    /// The underlying error; nil when there is none.
    public let error: (any Error)?

    /// The message as one line of text.
    public var description: String {
      "\(component): \(text)" + (error.map { ": \($0)" } ?? "")
    }
  }

  private static let current = Mutex<(@Sendable (Message) -> Void)?>(nil)

  /// The receiver of the messages; nil, which is the default, writes them to standard error.
  ///
  /// It is called on the thread that meets the failure, while no lock of the framework is held, and may be called by
  /// several threads at the same time. It must not save or fetch in the context that reports.
  public static var handler: (@Sendable (Message) -> Void)? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Passes a message to the handler or, without one, to standard error.
  package static func report(
    _ level: Level, _ component: String, _ text: String, _ error: (any Error)? = nil
  ) {
    let message = Message(level: level, component: component, text: text, error: error)
    guard let handler else {
      StandardError.write(message.description)
      return
    }
    handler(message)
  }
}
