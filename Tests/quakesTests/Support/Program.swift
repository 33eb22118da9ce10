import Foundation

/// The built program `quakes`, run as people and scripts run it.
struct Program {
  struct Outcome {
    var code: Int32
    var output: String
    var errors: String
  }

  let folder: URL
  let executable: URL

  /// Finds the program beside the tests.
  init(folder: URL) throws {
    self.folder = folder
    var place = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
    while place.path != "/" {
      place.deleteLastPathComponent()
      let candidate = place.appendingPathComponent("quakes")
      if FileManager.default.isExecutableFile(atPath: candidate.path) {
        executable = candidate
        return
      }
    }
    throw WireError(reason: "no program `quakes` above \(CommandLine.arguments[0])")
  }

  /// Runs the program to its end. Output goes through files, which cannot fill up as pipes can.
  func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Outcome {
    try await run(arguments: arguments, environment: environment)
  }

  /// Runs the program to its end with arguments from an array.
  func run(arguments: [String], environment: [String: String] = [:]) async throws -> Outcome {
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

  /// The store that the program uses when nothing else is said.
  var store: URL { folder.appendingPathComponent("test.store") }

  /// The environment the program runs in, with additions.
  func environment(_ additions: [String: String] = [:]) -> [String: String] {
    [
      "QUAKES_STORE": store.path, "TZ": "UTC",
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path,
      "LANG": "C.UTF-8",
    ].merging(additions) { $1 }
  }

  /// Runs a shell command line in which `quakes` is the program.
  func shell(_ line: String) async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "quakes() { \"\(executable.path)\" \"$@\"; }; " + line]
    process.environment = [
      "QUAKES_STORE": folder.appendingPathComponent("test.store").path,
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder.path,
    ]
    let output = folder.appendingPathComponent(UUID().uuidString + ".out")
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    return Outcome(
      code: try await end(of: process), output: try String(contentsOf: output, encoding: .utf8),
      errors: "")
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
