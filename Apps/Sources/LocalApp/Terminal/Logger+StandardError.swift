import Logging

extension Logger {
  /// Returns a logger that writes warnings and errors to standard error.
  /// - Parameter label: The name of the program.
  package static func standardError(_ label: String) -> Logger {
    var logger = Logger(
      label: label, factory: { StreamLogHandler(label: $0, stream: MessageOutput()) })
    logger.logLevel = .warning
    return logger
  }
}
