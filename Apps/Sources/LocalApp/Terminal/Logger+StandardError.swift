import Logging

extension Logger {
  /// Returns a logger that writes warnings and errors to standard error.
  /// - Parameter label: The name of the program.
  package static func standardError(_ label: String) -> Logger {
    var logger = Logger(label: label, factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = .warning
    return logger
  }
}
