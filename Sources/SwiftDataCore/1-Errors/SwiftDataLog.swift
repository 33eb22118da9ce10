import Foundation
import Synchronization

/// Receives the messages about failures that can't be reported to a caller: an automatic save that failed, results that
/// can't be brought up to date, a file that can't be removed.
///
/// A library doesn't write to a program's standard error by itself, so by default nobody gets the messages. A program
/// sets ``handler`` once, before it makes containers:
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
/// For a look, the variable `SWIFTDATA_LOG` in the environment has a program without a handler write the messages of a
/// level and of those above it to standard error, a line each: `notice`, `warning` or `error`. A message has no values
/// of properties.
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

  /// The receiver of the messages; nil, which is the default, has none, see `SWIFTDATA_LOG`.
  ///
  /// It is called on the thread that meets the failure, while no lock of the framework is held, and may be called by
  /// several threads at the same time. It must not save or fetch in the context that reports.
  public static var handler: (@Sendable (Message) -> Void)? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// The levels that are written without a handler.
  private static let written = levels(
    writtenFor: ProcessInfo.processInfo.environment["SWIFTDATA_LOG"])

  /// The levels that a value of `SWIFTDATA_LOG` has written: all from the one that it names. A value that names none
  /// has all written, because whoever sets it wants to see something.
  package static func levels(writtenFor value: String?) -> Set<Level> {
    guard let value, !value.isEmpty else { return [] }
    let all = Level.allCases
    let first = Level(rawValue: value.lowercased()).flatMap { all.firstIndex(of: $0) } ?? 0
    return Set(all[first...])
  }

  /// Runs work that holds a lock, and passes its messages on when it has ended.
  ///
  /// - Parameter work: Takes and releases the lock. Messages of other threads aren't held back.
  package static func withMessagesHeld<Result>(_ work: () throws -> Result) rethrows -> Result {
    // The outermost work may hold more locks.
    if HeldMessages.current?.isOfThisThread == true { return try work() }
    let held = HeldMessages()
    defer { for message in held.end() { pass(message) } }
    return try HeldMessages.$current.withValue(held, operation: work)
  }

  /// Passes a message to the handler or, without one, writes it when the environment says so.
  package static func report(
    _ level: Level, _ component: String, _ text: String, _ error: (any Error)? = nil
  ) {
    let message = Message(level: level, component: component, text: text, error: error)
    if HeldMessages.current?.append(message) == true { return }
    pass(message)
  }

  private static func pass(_ message: Message) {
    guard let handler else {
      if written.contains(message.level) { StandardError.write(message.description) }
      return
    }
    handler(message)
  }
}
