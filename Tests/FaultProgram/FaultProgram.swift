import CFaultVFS
import Foundation

/// Writes stores in processes that are killed, and on disks that lose their power, report false success or refuse
/// calls; then checks the stores.
///
/// Everything in a run is derived from its seed, so that the printed command repeats a failure. The exit code is 0 if
/// no failure was found, otherwise 1.
#if !FUZZER
  @main
#endif
enum FaultProgram {
  static let usage = """
    usage: fault-program COMMAND [OPTION VALUE]...
      power    loses power at a random event of each seed
      kill     ends the process there, with SIGKILL
      refuse   lets each call fail once, until a run in which none did
      writers  lets processes write one store at once
      fuzz     gives changed inputs to what takes bytes from outside
      simulate runs devices, a server and what is between them, in a time of its own
      soak     imports, edits, syncs and kills for --seconds N (default 60); memory and files must not grow
      list     prints the workloads, the kinds of calls and the targets
      --workload NAME   one of them (default: all)
      --seeds N         how many seeds a workload (default 100); --seeds N-M: those; --seed N: only that one
      --synchronous off|normal|full|said   how SQLite syncs (default: as the store says)
      --lies            syncs of the disk do nothing
      --kind NAME, --error eio|enospc|eacces, --call N, --times N   what refuses (default: all, once)
      --stride N        refuse each N-th call only (default 1)
      --processes N, --saves N   of writers (default 8, 1000)
      --target NAME     what is given inputs (default: all)
      --count N, --seconds N   how many inputs, how long (default 100000, no limit)
      --stores          simulate devices over SQLite, not in memory
      --part NAME       of a soak: edits, actor, import, sync, writer (default: all)
      --input N         only that one, of --seed N (default 1)
      --jobs N          processes at once (default: one a processor)
      --folder PATH     where files are made (default: a new one for temporary files)
      --keep            leave the files of what failed
    """

  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      let isWhole =
        switch options.command {
        case "power": try PowerCommand(options, end: FAULT_POWER).run()
        case "kill": try PowerCommand(options, end: FAULT_KILL).run()
        case "refuse": try RefuseCommand(options).run()
        case "writers": try WritersCommand(options).run()
        case "fuzz": try FuzzCommand(options).run()
        case "simulate": try SimulateCommand(options).run()
        case "soak": SoakCommand.run(options)
        // The second process of a soak test.
        case "soak-writer": try SoakWriter.write(options)
        case "list": list()
        default: throw Finding("there is no command \(options.command)\n\(usage)")
        }
      exit(isWhole ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("fault-program: \(error)\n".utf8))
      exit(2)
    }
  }

  private static func list() -> Bool {
    print("workloads: " + Workloads.all.map(\.name).joined(separator: " "))
    print("kinds: " + CallKind.all.map(\.name).joined(separator: " "))
    print("targets: " + FuzzTargets.all.map { $0.name }.joined(separator: " "))
    return true
  }
}
