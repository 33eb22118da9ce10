import Logging

/// The logger of Apple's unified logging, on swift-log: code that logs through `os.Logger` compiles on platforms
/// without it.
///
/// The subsystem becomes the label of swift-log's logger, the category a metadata value. `LoggingSystem.bootstrap`
/// decides where messages go, as in every program that uses swift-log.
public struct Logger: Sendable {
  private let logger: Logging.Logger

  /// Creates a logger of the default subsystem.
  public init() { logger = Logging.Logger(label: "default") }

  /// - Parameters:
  ///   - subsystem: The program or library, in reverse DNS notation.
  ///   - category: The part of the program or library.
  public init(subsystem: String, category: String) {
    var logger = Logging.Logger(label: subsystem)
    logger[metadataKey: "category"] = "\(category)"
    self.logger = logger
  }

  /// - Parameter logger: The swift-log logger that receives the messages.
  public init(_ logger: Logging.Logger) { self.logger = logger }

  /// Logs at the default level, the level of ``notice(_:)``.
  public func log(_ message: OSLogMessage) { logger.notice("\(message.text)") }

  /// - Parameters:
  ///   - level: The level of the message.
  ///   - message: The message.
  public func log(level: OSLogType, _ message: OSLogMessage) {
    logger.log(level: level.level, "\(message.text)")
  }

  /// Logs the most detailed information for debugging.
  public func trace(_ message: OSLogMessage) { logger.trace("\(message.text)") }
  /// Logs information for debugging.
  public func debug(_ message: OSLogMessage) { logger.debug("\(message.text)") }
  /// Logs information that may be useful.
  public func info(_ message: OSLogMessage) { logger.info("\(message.text)") }
  /// Logs information that is essential for troubleshooting.
  public func notice(_ message: OSLogMessage) { logger.notice("\(message.text)") }
  /// Logs a condition that may become a failure.
  public func warning(_ message: OSLogMessage) { logger.warning("\(message.text)") }
  /// Logs a failure.
  public func error(_ message: OSLogMessage) { logger.error("\(message.text)") }
  /// Logs a failure from which the program can't continue.
  public func critical(_ message: OSLogMessage) { logger.critical("\(message.text)") }
  /// Logs a bug in the program itself.
  public func fault(_ message: OSLogMessage) { logger.critical("\(message.text)") }
}

/// The levels of Apple's unified logging.
public struct OSLogType: Hashable, Sendable {
  let level: Logging.Logger.Level

  /// Messages that are kept by default.
  public static let `default` = OSLogType(level: .notice)
  /// Messages for diagnosis.
  public static let info = OSLogType(level: .info)
  /// Messages for development.
  public static let debug = OSLogType(level: .debug)
  /// Errors of the program.
  public static let error = OSLogType(level: .error)
  /// Errors that show a defect of the program.
  public static let fault = OSLogType(level: .critical)
}
