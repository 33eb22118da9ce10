import Foundation
import Subprocess
import Synchronization

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// A program that runs beside the tests; it is killed when nobody has it any more.
///
/// Foundation's `Process` isn't used: on Linux it looks at each file that the tests have open, and
/// reads past the end of its list of them once there are more than about 1,300.
package final class ChildProcess: Sendable {
  /// How a program ended.
  package enum End: Hashable, Sendable {
    /// By itself, with an exit code.
    case exited(Int32)
    /// By a signal.
    case signaled(Int32)
  }

  /// What others must not signal any more once it has ended: its number may be another's by then.
  private final class Life: Sendable {
    let hasEnded = Mutex(false)
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let identifier: pid_t
  private let life = Life()
  private let status: Task<End, any Error>

  /// Starts a program.
  /// - Parameters:
  ///   - program: the program's file.
  ///   - arguments: what it is told.
  ///   - environment: its variables; nil for those of the tests.
  ///   - input: what it reads, an open file that stays the caller's; nil for nothing.
  ///   - output: where it prints, likewise.
  ///   - errors: where it prints its errors, likewise.
  package init(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil,
    input: FileHandle? = nil, output: FileHandle? = nil, errors: FileHandle? = nil
  ) async throws {
    let variables = environment.map { variables in
      Dictionary(
        uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })
    }
    let configuration = Configuration(
      executable: .path(FilePath(program.path)), arguments: Arguments(arguments),
      environment: variables.map { .custom($0) } ?? .inherit)
    let (identifiers, started) = AsyncStream.makeStream(of: pid_t.self)
    status = Task { [life] in
      defer {
        life.hasEnded.withLock { $0 = true }
        started.finish()
      }
      let nothing = try FileHandle(forUpdating: URL(fileURLWithPath: "/dev/null"))
      let streams = [input ?? nothing, output ?? nothing, errors ?? nothing]
      let files = streams.map { FileDescriptor(rawValue: $0.fileDescriptor) }
      let result = try await Subprocess.run(
        configuration,
        input: .fileDescriptor(files[0], closeAfterSpawningProcess: false),
        output: .fileDescriptor(files[1], closeAfterSpawningProcess: false),
        error: .fileDescriptor(files[2], closeAfterSpawningProcess: false)
      ) { execution in
        withExtendedLifetime(streams) {}
        started.yield(execution.processIdentifier.value)
        started.finish()
      }
      return switch result.terminationStatus {
      case .exited(let code): .exited(code)
      case .signaled(let signal): .signaled(signal)
      }
    }
    var first = identifiers.makeAsyncIterator()
    guard let identifier = await first.next() else {
      _ = try await status.value
      throw Failure(description: "\(program.path) ended without having begun")
    }
    self.identifier = identifier
  }

  deinit { signal(SIGKILL) }

  /// Sends it a signal, if it still runs.
  package func signal(_ signal: Int32) {
    life.hasEnded.withLock { hasEnded in
      if !hasEnded { kill(identifier, signal) }
    }
  }

  /// Waits for its end without holding up a thread that others need.
  package func end() async throws -> End {
    // Who waits has it still, though nothing else may have.
    defer { withExtendedLifetime(self) {} }
    return try await status.value
  }

  /// Its exit code, when it has ended; that of a program ended by a signal is the shell's, 128 more
  /// than the signal's number.
  package func code() async throws -> Int32 {
    switch try await end() {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }

  /// Finds a program that was built with the tests.
  /// - Throws: an error with its name when it isn't there.
  package static func program(_ name: String) throws -> URL {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
    var place = tests
    while place.path != "/" {
      place.deleteLastPathComponent()
      let candidate = place.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    }
    throw Failure(description: "no program `\(name)` above \(tests.path)")
  }
}
