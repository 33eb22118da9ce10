import Foundation
import Logging
import OSLogStandIns
import Synchronization
import Testing

/// Code that logs as on Apple platforms.
@Suite("The replacement of the system's logger")
struct LoggerTests {
  final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  struct Collector: LogHandler {
    let lines: Lines
    var metadata: Logging.Logger.Metadata = [:]
    var logLevel = Logging.Logger.Level.trace
    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      lines.all.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }

  private func lines(_ body: (OSLogStandIns.Logger) -> Void) -> [String] {
    let lines = Lines()
    body(OSLogStandIns.Logger(Logging.Logger(label: "test") { _ in Collector(lines: lines) }))
    return lines.all.withLock { $0 }
  }

  @Test("hides texts and shows numbers unless the message specifies otherwise")
  func privacy() {
    let name = "Ada"
    let count = 3
    let found = lines { logger in
      logger.info("\(name) has \(count) books")
      logger.info("\(name, privacy: .public) has \(count, privacy: .private) books")
      logger.info("\(name, privacy: .sensitive) \(true) \(2.5, format: .fixed(precision: 2))")
      logger.info("\(Int.self, privacy: .public)")
    }
    #expect(
      found == [
        "info: <private> has 3 books", "info: Ada has <private> books",
        "info: <private> true 2.50", "info: Int",
      ])
  }

  @Test("writes floating-point numbers with the decimals of the system's formats")
  func decimals() {
    let found = lines { logger in
      logger.info("\(3.14, format: .fixed) \(3.14, format: .fixed(precision: 0)) \(3.14)")
    }
    #expect(found == ["info: 3.140000 3 3.14"])
  }

  @Test("replaces a hidden value by its hash where asked, the same for equal values")
  func hash() {
    let found = lines { logger in
      for name in ["Ada", "Ada", "Bob"] { logger.notice("\(name, privacy: .private(mask: .hash))") }
    }
    #expect(found[0] == found[1])
    #expect(found[0] != found[2])
    #expect(found.allSatisfy { !$0.contains("Ada") && !$0.contains("Bob") })
  }

  @Test("has the system's levels")
  func levels() {
    let found = lines { logger in
      logger.trace("m")
      logger.debug("m")
      logger.info("m")
      logger.notice("m")
      logger.log("m")
      logger.warning("m")
      logger.error("m")
      logger.critical("m")
      logger.fault("m")
      logger.log(level: .default, "m")
      logger.log(level: .fault, "m")
    }
    #expect(
      found.map { $0.prefix { $0 != ":" } } == [
        "trace", "debug", "info", "notice", "notice", "warning", "error", "critical", "critical",
        "notice", "critical",
      ])
  }

  @Test("is made of a subsystem and a category")
  func made() {
    OSLogStandIns.Logger(subsystem: "org.example.app", category: "store").trace("made")
    OSLogStandIns.Logger().trace("made")
  }
}
