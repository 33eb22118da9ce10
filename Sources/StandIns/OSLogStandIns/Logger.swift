import Logging

/// The logger of Apple's unified logging, on swift-log: code that logs by `os.Logger` compiles where there is none.
///
/// The subsystem is the label of swift-log's logger, the category a metadata value. Where messages go is decided by
/// `LoggingSystem.bootstrap`, as in every program with swift-log.
public struct Logger: Sendable {
  private let logger: Logging.Logger

  /// A logger of the default subsystem.
  public init() { logger = Logging.Logger(label: "default") }

  /// - Parameters:
  ///   - subsystem: The program or library, in reverse DNS notation.
  ///   - category: The part of it.
  public init(subsystem: String, category: String) {
    var logger = Logging.Logger(label: subsystem)
    logger[metadataKey: "category"] = "\(category)"
    self.logger = logger
  }

  /// - Parameter logger: The logger of swift-log that gets the messages.
  public init(_ logger: Logging.Logger) { self.logger = logger }

  /// Logs at the default level, which is ``notice(_:)``'s.
  public func log(_ message: OSLogMessage) { logger.notice("\(message.text)") }

  /// - Parameters:
  ///   - level: The level of the message.
  ///   - message: The message.
  public func log(level: OSLogType, _ message: OSLogMessage) {
    logger.log(level: level.level, "\(message.text)")
  }

  /// Logs what helps in finding a fault, in the greatest detail.
  public func trace(_ message: OSLogMessage) { logger.trace("\(message.text)") }
  /// Logs what helps in finding a fault.
  public func debug(_ message: OSLogMessage) { logger.debug("\(message.text)") }
  /// Logs what may be of use.
  public func info(_ message: OSLogMessage) { logger.info("\(message.text)") }
  /// Logs what matters for finding a fault.
  public func notice(_ message: OSLogMessage) { logger.notice("\(message.text)") }
  /// Logs what may become a failure.
  public func warning(_ message: OSLogMessage) { logger.warning("\(message.text)") }
  /// Logs a failure.
  public func error(_ message: OSLogMessage) { logger.error("\(message.text)") }
  /// Logs a failure that the program can't go on from.
  public func critical(_ message: OSLogMessage) { logger.critical("\(message.text)") }
  /// Logs a fault of the program itself.
  public func fault(_ message: OSLogMessage) { logger.critical("\(message.text)") }
}

/// The levels of Apple's unified logging.
public struct OSLogType: Hashable, Sendable {
  let level: Logging.Logger.Level

  public static let `default` = OSLogType(level: .notice)
  public static let info = OSLogType(level: .info)
  public static let debug = OSLogType(level: .debug)
  public static let error = OSLogType(level: .error)
  public static let fault = OSLogType(level: .critical)
}
