import Foundation
import ProcessTesting

/// A built program, run as users and scripts run it.
package struct Program: Sendable {
  /// The output and the exit code of a program.
  package struct Outcome: Sendable {
    package var code: Int32
    package var output: String
    package var errors: String
  }

  package let folder: URL
  private let name: String
  package let executable: URL
  private let variables: [String: String]

  /// Finds the program beside the tests.
  /// - Parameters:
  ///   - name: The program's name.
  ///   - folder: A folder for its files; it is also its home folder.
  ///   - environment: Variables in addition to those that every program needs.
  package init(_ name: String, folder: URL, environment: [String: String]) throws {
    self.name = name
    self.folder = folder
    variables = [
      "TZ": "UTC", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path,
      "LANG": "C.UTF-8",
    ].merging(environment) { $1 }
    executable = try ChildProcess.program(name)
  }

  /// Runs the program until it ends. Output goes to files, which can't fill up as pipes can.
  package func run(_ arguments: String..., environment: [String: String] = [:]) async throws
    -> Outcome
  {
    try await run(arguments: arguments, environment: environment)
  }

  /// Runs the program until it ends, with arguments from an array.
  package func run(arguments: [String], environment: [String: String] = [:]) async throws -> Outcome
  {
    let output = try emptyFile("out")
    let errors = try emptyFile("err")
    let process = try await ChildProcess(
      executable, arguments, environment: self.environment(environment),
      output: FileHandle(forWritingTo: output), errors: FileHandle(forWritingTo: errors))
    return Outcome(
      code: try await process.code(),
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  private func emptyFile(_ kind: String) throws -> URL {
    let file = folder.appendingPathComponent("\(UUID().uuidString).\(kind)")
    try Data().write(to: file)
    return file
  }

  /// Returns the program's environment, with additions.
  package func environment(_ additions: [String: String] = [:]) -> [String: String] {
    variables.merging(additions) { $1 }
  }

  /// Returns the paths of all files and folders in the program's folder, except those with its captured output.
  package func files() -> Set<String> {
    let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return Set(all.filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") })
  }

  /// Runs a shell command line in which the program is available by its name.
  package func shell(_ line: String) async throws -> Outcome {
    let output = try emptyFile("out")
    let process = try await ChildProcess(
      URL(fileURLWithPath: "/bin/bash"),
      ["-c", "\(name)() { \"\(executable.path)\" \"$@\"; }; " + line], environment: variables,
      output: FileHandle(forWritingTo: output), errors: .standardError)
    return Outcome(
      code: try await process.code(), output: try String(contentsOf: output, encoding: .utf8),
      errors: "")
  }

  /// Runs a shell command line like ``shell(_:)`` while nothing in a folder can be written.
  package func shell(_ line: String, sealing folder: URL) async throws -> Outcome {
    let path = folder.path
    // The superuser may write to any file, but not where the mount is read-only.
    let sealed =
      geteuid() == 0
      ? "export -f \(name); unshare -m bash -c 'mount --bind \(path) \(path) && "
        + "mount -o remount,ro,bind \(path) && \(line)' > \"$OUT\" || echo failed"
      : "chmod 555 \(path); (\(line)) > \"$OUT\" || echo failed; chmod 755 \(path)"
    return try await shell("OUT=$(mktemp); \(sealed); cat \"$OUT\"; rm \"$OUT\"")
  }

  /// Starts a server and returns it with the address that it prints.
  package func serve(_ arguments: [String]) async throws -> RunningProgram {
    let errors = try emptyFile("err")
    let pipe = Pipe()
    let process = try await ChildProcess(
      executable, arguments, environment: variables, output: pipe.fileHandleForWriting,
      errors: FileHandle(forWritingTo: errors))
    // Only the server's end of the pipe stays open, so that it closes with the server.
    try pipe.fileHandleForWriting.close()
    if let address = await pipe.line(after: "listening on ") {
      return RunningProgram(process, pipe, address)
    }
    throw WireError(
      reason: "\(name) did not listen: \(try String(contentsOf: errors, encoding: .utf8))")
  }
}

extension Pipe {
  /// Reads until a whole line with a beginning, and returns the rest of that line; nil when the writer ends before.
  package func line(after beginning: String) async -> String? {
    let (pieces, arrived) = AsyncStream.makeStream(of: Data.self)
    fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { arrived.finish() } else { arrived.yield(data) }
    }
    defer { fileHandleForReading.readabilityHandler = nil }
    var text = ""
    for await piece in pieces {
      text += String(decoding: piece, as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.hasPrefix(beginning) }) {
        return String(line.dropFirst(beginning.count))
      }
    }
    return nil
  }
}

/// A server that runs until ``stop()``, or until no reference to it is left.
package final class RunningProgram: Sendable {
  private let process: ChildProcess
  /// Kept open: a program that writes to a pipe without a reader is ended.
  private let output: Pipe
  /// The address that the server listens on.
  package let address: String

  fileprivate init(_ process: ChildProcess, _ output: Pipe, _ address: String) {
    self.process = process
    self.output = output
    self.address = address
  }

  /// Ends the server immediately, like a power failure.
  package func kill() async throws {
    process.signal(SIGKILL)
    _ = try await process.end()
  }

  /// Stops the server gracefully and returns the exit code.
  @discardableResult
  package func stop() async throws -> Int32 {
    process.signal(SIGTERM)
    return try await process.code()
  }
}
