import CSQLite
import Foundation
import MigrationSamples
import SwiftData
import SwiftDataSQLite
import Synchronization

/// Opens a store with one of the sample versions, as another process; on request the process is ended meanwhile.
///
///     migration-program FILE VERSION [run | count | tick N | bytes N | refuse N | MOMENT]
///
/// `count` prints the number of steps of SQLite's virtual machine and the size of the write-ahead log. `tick` ends the
/// process at one of those steps with SIGKILL. `bytes` lets the system end the process (SIGXFSZ) during the write that
/// makes a file longer than N bytes; `refuse` makes such writes fail. The name of a moment ends the process at that
/// moment.
@main
enum MigrationProgram {
  private static let ticks = Atomic<Int>(0)
  private static let last = Atomic<Int>(Int.max)
  private static let logSize = Atomic<Int>(0)

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let version = Int(arguments[2]) else {
      print(
        "usage: migration-program FILE VERSION [run | count | tick N | bytes N | refuse N | MOMENT]"
      )
      exit(2)
    }
    let file = URL(fileURLWithPath: arguments[1])
    let mode = arguments.count > 3 ? arguments[3] : "run"
    prepare(mode, arguments.count > 4 ? Int(arguments[4]) ?? 0 : 0)
    do {
      try MigrationProbe.install(
        began: mode == "count" || mode == "tick" ? countTicks : nil,
        reached: { reach($0, mode, file) }
      ) {
        // With a backup copy, every write would exceed the limit in the copy, before the migration itself.
        _ = try MusicStore.open(file, version, backup: mode == "bytes" ? .none : .automatic)
      }
      let counts = "\(ticks.load(ordering: .relaxed)) \(logSize.load(ordering: .relaxed))"
      print(mode == "count" ? counts : "done")
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  private static func reach(_ moment: String, _ mode: String, _ file: URL) {
    if moment == mode { kill(getpid(), SIGKILL) }
    guard moment == "committed" else { return }
    var status = stat()
    if stat(file.path + "-wal", &status) == 0 {
      logSize.store(Int(status.st_size), ordering: .relaxed)
    }
  }

  private static func prepare(_ mode: String, _ number: Int) {
    switch mode {
    case "bytes", "refuse":
      // No core dump on the disk.
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      // Independent of the signals that the parent process ignores or blocks.
      signal(SIGXFSZ, mode == "bytes" ? SIG_DFL : SIG_IGN)
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGXFSZ)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      var limit = rlimit(rlim_cur: rlim_t(number), rlim_max: rlim_t(number))
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    case "tick": last.store(number, ordering: .relaxed)
    default: break
    }
  }

  @Sendable private static func countTicks(_ database: OpaquePointer) {
    sqlite3_progress_handler(
      database, 1,
      { _ in
        let tick = MigrationProgram.ticks.wrappingAdd(1, ordering: .relaxed).newValue
        if tick >= MigrationProgram.last.load(ordering: .relaxed) { kill(getpid(), SIGKILL) }
        return 0
      }, nil)
  }
}
