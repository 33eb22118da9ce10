import Foundation

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
    var place = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
    while place.path != "/" {
      place.deleteLastPathComponent()
      let candidate = place.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: candidate.path) {
        executable = candidate
        return
      }
    }
    throw WireError(reason: "no program `\(name)` above \(CommandLine.arguments[0])")
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
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = self.environment(environment)
    let name = UUID().uuidString
    let output = folder.appendingPathComponent(name + ".out")
    let errors = folder.appendingPathComponent(name + ".err")
    for file in [output, errors] {
      try Data().write(to: file)
    }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    return Outcome(
      code: try await end(of: process),
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  /// The environment the program runs in, with additions.
  package func environment(_ additions: [String: String] = [:]) -> [String: String] {
    variables.merging(additions) { $1 }
  }

  /// Runs a shell command line in which the program has its name.
  package func shell(_ line: String) async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "\(name)() { \"\(executable.path)\" \"$@\"; }; " + line]
    process.environment = variables
    let output = folder.appendingPathComponent(UUID().uuidString + ".out")
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    return Outcome(
      code: try await end(of: process), output: try String(contentsOf: output, encoding: .utf8),
      errors: "")
  }

  /// Starts a server and gives the address that it prints, with the way to end it.
  package func serve(_ arguments: [String]) async throws -> RunningProgram {
    let output = folder.appendingPathComponent(UUID().uuidString + ".out")
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = variables
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    try Data().write(to: output)
    process.standardError = try FileHandle(forWritingTo: output)
    try process.run()
    let running = RunningProgram(process: process, errors: output)
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
      running.address = String(text[..<end].dropFirst("listening on ".count))
      return running
    }
    throw WireError(
      reason: "\(name) did not listen: \(try String(contentsOf: output, encoding: .utf8))")
  }

  /// Runs a process without holding up a thread that others need.
  private func end(of process: Process) async throws -> Int32 {
    let (codes, ended) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      ended.yield(process.terminationStatus)
      ended.finish()
    }
    try process.run()
    for await code in codes { return code }
    throw WireError(reason: "the program's end was not reported")
  }
}

/// A server that runs until ``stop()``.
package final class RunningProgram {
  private let process: Process
  private let errors: URL
  /// Where it listens.
  package fileprivate(set) var address = ""

  fileprivate init(process: Process, errors: URL) {
    self.process = process
    self.errors = errors
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Ends it at once, as a power failure would.
  package func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Ends it gracefully and gives the exit code.
  @discardableResult
  package func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
