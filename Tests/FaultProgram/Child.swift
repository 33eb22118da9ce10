import CFaultVFS
import Foundation

/// Writes lines to a pipe, each immediately and as a whole.
enum Pipe {
  static func make() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Finding("no pipe: \(errno)") }
    return (ends[0], ends[1])
  }

  static func say(_ line: String, to descriptor: Int32) {
    let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}

/// The output and the exit code of a forked process.
struct ChildResult {
  let lines: [String]
  /// The exit code; if negative, the number of the signal.
  let code: Int32

  /// Returns the last number after a letter.
  func last(_ letter: String) -> Int? {
    lines.last { $0.hasPrefix("\(letter) ") }.flatMap { Int($0.dropFirst(2)) }
  }

  func texts(_ letter: String) -> [String] {
    lines.filter { $0.hasPrefix("\(letter) ") }.map { String($0.dropFirst(2)) }
  }
}

/// Runs parts of this program as processes of their own. This process must not use any other thread.
enum Child {
  /// The maximum time without output, in milliseconds. A process that is silent for longer hangs.
  static let patience: Int32 = 120_000
  /// No time limit, as `poll` expects it.
  static let forEver: Int32 = -1

  static func begin(_ body: (Int32) throws -> Void) throws -> (process: pid_t, output: Int32) {
    let (reading, writing) = try Pipe.make()
    let process = fault_fork()
    guard process >= 0 else { throw Finding("no process: \(errno)") }
    if process == 0 {
      close(reading)
      do {
        try body(writing)
        _exit(0)
      } catch {
        Pipe.say("f \(error)", to: writing)
        _exit(1)
      }
    }
    close(writing)
    return (process, reading)
  }

  /// - Parameter patience: The maximum time without output, in milliseconds.
  static func run(
    patience: Int32 = patience, _ body: (Int32) throws -> Void
  ) throws -> ChildResult {
    let (process, output) = try begin(body)
    return finish(process, output, patience: patience)
  }

  /// Reads the output of a process until it has ended.
  ///
  /// - Parameters:
  ///   - patience: The maximum time without output, in milliseconds.
  ///   - isEnough: Returns whether to kill the process now; called with the complete lines so far.
  static func finish(
    _ process: pid_t, _ output: Int32, patience: Int32 = patience,
    isEnough: (([String]) -> Bool)? = nil
  ) -> ChildResult {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var isLate = false
    while true {
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, patience) == 0 {
        isLate = true
        kill(process, SIGKILL)
      }
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes.append(contentsOf: buffer[..<count])
      if let isEnough, isEnough(lines(of: bytes)) { kill(process, SIGKILL) }
    }
    close(output)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    var lines = lines(of: bytes)
    if isLate { lines.append("f HANGS: it didn't end within \(patience / 1_000) s") }
    return ChildResult(
      lines: lines, code: status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F))
  }

  private static func lines(of bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Distributes numbered jobs among several processes, and returns their output.
  ///
  /// - Parameter patience: The maximum time of a process without output. A process that runs others prints its counts
  ///   at its end, and waits for each of those as long as allowed.
  static func deal(
    _ jobs: Int, patience: Int32 = forEver, _ body: (_ job: Int, _ output: Int32) throws -> Void
  ) throws -> [ChildResult] {
    let begun = try (0..<jobs).map { job in try begin { try body(job, $0) } }
    // A process with much output waits until its pipe is read; the output usually fits into the pipe.
    return begun.map { finish($0.process, $0.output, patience: patience) }
  }
}
