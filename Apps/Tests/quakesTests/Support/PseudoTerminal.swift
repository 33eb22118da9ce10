#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  @testable import ProcessTesting
  @testable import ProgramTesting

  /// The program in its own terminal: a test can read its output and press keys.
  final class PseudoTerminal: Sendable {
    // Linux's requests TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), whose macros Swift doesn't import.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    private let master: Int32
    private let output: AsyncStream<String>
    private let process: ChildProcess

    /// Starts the program with a controlling terminal.
    init(
      _ program: Program, _ arguments: [String], columns: Int = 100, rows: Int = 12,
      environment: [String: String] = [:]
    ) async throws {
      master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var lock: CInt = 0
      var number: CInt = 0
      guard master >= 0, ioctl(master, Self.unlock, &lock) == 0,
        ioctl(master, Self.number, &number) == 0
      else { throw WireError(reason: "no pseudo-terminal: \(errno)") }
      let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      guard slave >= 0 else { throw WireError(reason: "no pseudo-terminal: \(errno)") }
      let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
      Self.resize(master, columns: columns, rows: rows)
      output = Self.reading(master)
      process = try await ChildProcess(
        URL(fileURLWithPath: "/usr/bin/setsid"),
        ["--ctty", "--wait", program.executable.path] + arguments,
        environment: program.environment(environment.merging(["TERM": "xterm"]) { $1 }),
        input: handle, output: handle, errors: handle)
      try handle.close()
    }

    deinit {
      // Ends processes that a failed test leaves behind; after the program's end no process is in
      // the foreground.
      let group = tcgetpgrp(master)
      if group > 1 { kill(-group, SIGKILL) }
      close(master)
    }

    /// Reads on a separate thread: reading fails when the terminal's program has ended.
    private static func reading(_ master: Int32) -> AsyncStream<String> {
      let (texts, continuation) = AsyncStream.makeStream(of: String.self)
      let copy = dup(master)
      Thread.detachNewThread {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        var rest: [UInt8] = []
        while case let count = Glibc.read(copy, &bytes, bytes.count), count > 0 {
          rest += bytes.prefix(count)
          // A character may be split between two reads.
          guard let text = String(validating: rest, as: UTF8.self) else { continue }
          rest = []
          continuation.yield(text)
        }
        close(copy)
        continuation.finish()
      }
      return texts
    }

    /// Changes the terminal's size, like a window.
    func resize(columns: Int, rows: Int) { Self.resize(master, columns: columns, rows: rows) }

    private static func resize(_ master: Int32, columns: Int, rows: Int) {
      var size = winsize()
      size.ws_col = UInt16(columns)
      size.ws_row = UInt16(rows)
      #expect(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
    }

    /// Presses keys.
    func press(_ keys: String) {
      let bytes = Array(keys.utf8)
      #expect(write(master, bytes, bytes.count) == bytes.count)
    }

    /// Sends a signal to the foreground processes.
    func send(_ signal: Int32) { kill(-tcgetpgrp(master), signal) }

    /// Whether the terminal edits and echoes lines, as a shell expects it.
    var isCooked: Bool {
      var settings = termios()
      tcgetattr(master, &settings)
      return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// Reads the output until a condition holds.
    func read(until isEnough: (String) -> Bool) async throws -> String {
      var text = ""
      for await piece in output {
        text += piece
        if isEnough(text) { return text }
      }
      throw WireError(reason: "ended before: \(text.debugDescription)")
    }

    /// Returns the output until the program ends, and its exit code.
    func end() async throws -> (output: String, code: Int32) {
      let code = try await process.code()
      var text = ""
      for await piece in output { text += piece }
      return (text, code)
    }
  }
#endif
