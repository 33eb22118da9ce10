#if !Development
  #error("This is for the tests of OpenSwiftData, which scripts/swift builds.")
#endif

import Foundation
import Subprocess
import Synchronization

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// A program that runs beside the tests; it is killed when no reference to it is left.
///
/// Foundation's `Process` isn't used: on Linux it examines each file that the tests have open, and
/// reads past the end of its list of them once there are more than about 1,300.
package final class ChildProcess: Sendable {
  /// The reason for a program's end.
  package enum End: Hashable, Sendable {
    /// The program exited, with an exit code.
    case exited(Int32)
    /// A signal ended the program.
    case signaled(Int32)
  }

  /// Guards the process ID: after the program's end it must not be signalled, because another
  /// process may have the number.
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
  ///   - program: The program's file.
  ///   - arguments: The arguments.
  ///   - environment: The environment variables, to which the settings of sanitizers are added; nil for those of the
  ///     tests.
  ///   - input: The standard input, an open file that still belongs to the caller; nil for none.
  ///   - output: The standard output, likewise.
  ///   - errors: The standard error, likewise.
  package init(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil,
    input: FileHandle? = nil, output: FileHandle? = nil, errors: FileHandle? = nil
  ) async throws {
    let variables = environment.map { variables in
      // A program that is built with a sanitizer reports as the tests do.
      let settings = ProcessInfo.processInfo.environment.filter {
        ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key)
      }
      return Dictionary(
        uniqueKeysWithValues: variables.merging(settings) { given, _ in given }
          .map { (Environment.Key(stringLiteral: $0), $1) })
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

  /// Sends the program a signal, if it still runs.
  package func signal(_ signal: Int32) {
    life.hasEnded.withLock { hasEnded in
      if !hasEnded { kill(identifier, signal) }
    }
  }

  /// Waits for the program's end without blocking a thread.
  package func end() async throws -> End {
    // The waiting caller keeps the object alive, even if no other reference exists.
    defer { withExtendedLifetime(self) {} }
    return try await status.value
  }

  /// Returns the exit code when the program has ended. For a program ended by a signal, it is the
  /// shell's: 128 more than the signal's number.
  package func code() async throws -> Int32 {
    switch try await end() {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }

  /// Returns the path of a program that was built with the tests.
  /// - Throws: An error with the program's name if it doesn't exist.
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
