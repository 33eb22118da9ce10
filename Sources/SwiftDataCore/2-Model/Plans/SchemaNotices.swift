import Synchronization

/// Notices about schemas, each reported to ``SwiftDataLog`` once per process, however many containers are made.
enum SchemaNotices {
  private static let reported = Mutex<Set<String>>([])

  static func report(_ texts: [String]) {
    for text in texts where reported.withLock({ $0.insert(text).inserted }) {
      SwiftDataLog.report(.notice, "Schema", text)
    }
  }
}
