import Foundation
import ProcessTesting

/// A built program, run as people and scripts run it.
package struct Program: Sendable {
  /// What it printed, and how it ended.
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
  ///   - name: the program's name.
  ///   - folder: where it may leave files; it is its home, too.
  ///   - environment: variables beside those that every program needs.
  package init(_ name: String, folder: URL, environment: [String: String]) throws {
    self.name = name
    self.folder = folder
    variables = [
      "TZ": "UTC", "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path,
      "LANG": "C.UTF-8",
    ].merging(environment) { $1 }
    executable = try ChildProcess.program(name)
  }

  /// Runs the program to its end. Output goes through files, which cannot fill up as pipes can.
  package func run(_ arguments: String..., environment: [String: String] = [:]) async throws
    -> Outcome
  {
    try await run(arguments: arguments, environment: environment)
  }

  /// Runs the program to its end with arguments from an array.
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

  /// The environment the program runs in, with additions.
  package func environment(_ additions: [String: String] = [:]) -> [String: String] {
    variables.merging(additions) { $1 }
  }

  /// Runs a shell command line in which the program has its name.
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

  /// Starts a server and gives the address that it prints, with the way to end it.
  package func serve(_ arguments: [String]) async throws -> RunningProgram {
    let errors = try emptyFile("err")
    let pipe = Pipe()
    let process = try await ChildProcess(
      executable, arguments, environment: variables, output: pipe.fileHandleForWriting,
      errors: FileHandle(forWritingTo: errors))
    // Only the server's end of it is left, so that it ends with the server.
    try pipe.fileHandleForWriting.close()
    let (pieces, arrived) = AsyncStream.makeStream(of: Data.self)
    pipe.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { arrived.finish() } else { arrived.yield(data) }
    }
    defer { pipe.fileHandleForReading.readabilityHandler = nil }
    var text = ""
    for await piece in pieces {
      text += String(decoding: piece, as: UTF8.self)
      guard let end = text.firstIndex(of: "\n"), text.hasPrefix("listening on ") else { continue }
      let address = String(text[..<end].dropFirst("listening on ".count))
      return RunningProgram(process, pipe, address)
    }
    throw WireError(
      reason: "\(name) did not listen: \(try String(contentsOf: errors, encoding: .utf8))")
  }
}

/// A server that runs until ``stop()``, or until nobody has it any more.
package final class RunningProgram: Sendable {
  private let process: ChildProcess
  /// Kept open: who prints where nobody reads is ended.
  private let output: Pipe
  /// Where it listens.
  package let address: String

  fileprivate init(_ process: ChildProcess, _ output: Pipe, _ address: String) {
    self.process = process
    self.output = output
    self.address = address
  }

  /// Ends it at once, as a power failure would.
  package func kill() async throws {
    process.signal(SIGKILL)
    _ = try await process.end()
  }

  /// Ends it gracefully and gives the exit code.
  @discardableResult
  package func stop() async throws -> Int32 {
    process.signal(SIGTERM)
    return try await process.code()
  }
}
