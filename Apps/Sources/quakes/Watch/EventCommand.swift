import Foundation
import HTTPContent
import LocalApp
import QuakesKit
import Subprocess
import WireFormats

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The user's command for an event. A shell reads the command's text, which is the user's alone: what a feed says is in
/// variables of the environment and on the standard input, and never a part of that text.
struct EventCommand: Sendable {
  /// The maximum number of characters of a variable; a system refuses programs with very long ones.
  private static let longestVariable = 1_000
  /// The time between the request to end (SIGTERM) and the end (SIGKILL).
  private static let grace = Duration.seconds(2)

  /// The text that the shell reads.
  let text: String
  /// The time after which the command is ended.
  let limit: Duration
  /// The file for both outputs of the command; nil discards them.
  let output: FileHandle?

  /// Runs the command until its end. A task that is cancelled ends the command and the processes that it has started.
  /// - Returns: The reason why it failed; nil when it didn't, or when the task was cancelled.
  func run(_ event: Event) async -> String? {
    do {
      return try await withThrowingTaskGroup(of: String?.self) { group in
        group.addTask { try await start(event) }
        group.addTask {
          try await Task.sleep(for: limit)
          return "took longer than \(Age.text(seconds: limit / .seconds(1))) and was ended"
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
    } catch is CancellationError {
      return nil
    } catch {
      return Task.isCancelled ? nil : "could not be started: \(error)"
    }
  }

  private func start(_ event: Event) async throws -> String? {
    let input = try Self.input(event)
    let output = try output ?? FileHandle(forUpdating: URL(fileURLWithPath: "/dev/null"))
    var options = PlatformOptions()
    // A group of its own, so that the whole command line can be ended, and the terminal's keys don't reach it.
    options.processGroupID = 0
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: Self.grace)
    ]
    var variables: [Environment.Key: String?] = [:]
    for (name, value) in Self.variables(event) {
      variables[Environment.Key(stringLiteral: name)] = value
    }
    let files = [input, output].map { FileDescriptor(rawValue: $0.fileDescriptor) }
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", text],
      environment: .inherit.updating(variables), platformOptions: options,
      input: .fileDescriptor(files[0], closeAfterSpawningProcess: false),
      output: .fileDescriptor(files[1], closeAfterSpawningProcess: false),
      error: .fileDescriptor(files[1], closeAfterSpawningProcess: false))
    withExtendedLifetime((input, output)) {}
    return switch result.terminationStatus {
    case .exited(0): nil
    case .exited(let code): "ended with exit code \(code)"
    case .signaled(let signal): "was ended by signal \(signal)"
    }
  }

  /// Returns the variables for an event, without control characters; empty where the feed has no value.
  static func variables(_ event: Event) -> [String: String] {
    let values = [
      "ID": event.id, "MAGNITUDE": event.magnitude.map(\.exportedText), "PLACE": event.place,
      "TIME": Timestamp.iso8601(event.time), "LATITUDE": event.latitude.exportedText,
      "LONGITUDE": event.longitude.exportedText, "DEPTH": event.depth.map(\.exportedText),
      "URL": Browser.address(event),
    ]
    return Dictionary(
      uniqueKeysWithValues: values.map { name, value in
        let scalars = PlainText.neutralised(value ?? "").unicodeScalars.prefix(longestVariable)
        return ("QUAKES_" + name, String(String.UnicodeScalarView(scalars)))
      })
  }

  /// Returns an open file without a name that has the event as the API's JSON object: unlike a pipe, it waits for no
  /// reader.
  private static func input(_ event: Event) throws -> FileHandle {
    var json = JSONWriter()
    event.write(to: &json)
    json.raw("\n")
    guard let file = tmpfile() else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { fclose(file) }
    let descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try StandardOutput.write(json.bytes, to: descriptor)
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    return handle
  }
}
