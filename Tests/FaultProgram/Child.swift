import CFaultVFS
import Foundation

/// Lines through a pipe, written at once and whole.
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

/// What a process that was split off said, and how it ended.
struct ChildResult {
  let lines: [String]
  /// Its exit code; below zero the number of the signal.
  let code: Int32

  /// The last number behind a letter.
  func last(_ letter: String) -> Int? {
    lines.last { $0.hasPrefix("\(letter) ") }.flatMap { Int($0.dropFirst(2)) }
  }

  func texts(_ letter: String) -> [String] {
    lines.filter { $0.hasPrefix("\(letter) ") }.map { String($0.dropFirst(2)) }
  }
}

/// Runs parts of this program as processes of their own. This process must not use any other thread.
enum Child {
  /// A run that says nothing for longer, in milliseconds, waits for something that never comes.
  static let patience: Int32 = 120_000
  /// Without an end, as `poll` takes it.
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

  /// - Parameter patience: How long it may say nothing, in milliseconds.
  static func run(
    patience: Int32 = patience, _ body: (Int32) throws -> Void
  ) throws -> ChildResult {
    let (process, output) = try begin(body)
    return finish(process, output, patience: patience)
  }

  /// Reads what a process says until it has ended.
  ///
  /// - Parameters:
  ///   - patience: How long it may say nothing, in milliseconds.
  ///   - isEnough: Whether it is killed now, asked with the whole lines so far.
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

  /// Deals numbered pieces of work to several processes, and hands on what they say.
  ///
  /// - Parameter patience: How long a process may say nothing. A process that runs others says its counts at its end; each
  ///   of those is waited for as long as allowed.
  static func deal(
    _ jobs: Int, patience: Int32 = forEver, _ body: (_ job: Int, _ output: Int32) throws -> Void
  ) throws -> [ChildResult] {
    let begun = try (0..<jobs).map { job in try begin { try body(job, $0) } }
    // A process that says much waits until it is its turn to be read: what it says fits a pipe, or it waits a little.
    return begun.map { finish($0.process, $0.output, patience: patience) }
  }
}
