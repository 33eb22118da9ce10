import Foundation
import LocalApp
import Testing

@Suite("Secrets from a terminal or the standard input", .timeLimit(.minutes(20)))
struct SecretInputTests {
  /// A terminal of Linux that a test types at.
  private final class Typist: Sendable {
    let keyboard: Int32
    let terminal: Int32

    init() throws {
      // As posix_openpt(3), unlockpt(3) and ptsname(3) do, which Swift doesn't see: ioctl_tty(2).
      keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var isLocked: Int32 = 0
      var number: UInt32 = 0
      try #require(keyboard >= 0 && ioctl(keyboard, 0x4004_5431, &isLocked) == 0)
      try #require(ioctl(keyboard, 0x8004_5430, &number) == 0)
      terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
      try #require(terminal >= 0)
    }

    deinit {
      close(terminal)
      close(keyboard)
    }

    var echoes: Bool {
      var settings = termios()
      return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Types when the terminal has stopped to show what is typed.
    func type(_ text: String) async throws -> Result<String, any Error> {
      let (results, read) = AsyncStream.makeStream(of: Result<String, any Error>.self)
      // A thread of its own: reading blocks it.
      Thread.detachNewThread { [terminal] in
        read.yield(Result { try SecretInput(descriptor: terminal).read("") })
      }
      while echoes { await Task.yield() }
      try FileHandle(fileDescriptor: keyboard).write(contentsOf: Data(text.utf8))
      var iterator = results.makeAsyncIterator()
      return try #require(await iterator.next())
    }

    /// The output that the terminal has shown.
    var shown: String {
      _ = fcntl(keyboard, F_SETFL, O_NONBLOCK)
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = read(keyboard, &bytes, bytes.count)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test(
    "a terminal doesn't show what is typed, and shows again afterwards",
    arguments: [
      ("secret word\n", "secret word"), ("secret\r", "secret"), ("", ""),
      ("secreté\u{7f}\u{8}x\n", "secrex"), ("wrong\u{15}secret\n", "secret"),
      ("\u{7f}secret\n", "secret"), ("secret\u{4}", "secret"),
    ])
  func terminal(_ typed: String, _ secret: String) async throws {
    let typist = try Typist()
    let result = try await typist.type(typed.isEmpty ? "\n" : typed)
    #expect(try result.get() == secret)
    #expect(typist.echoes && !typist.shown.contains("s"))
  }

  @Test("Ctrl-C interrupts, and the terminal shows again")
  func interrupted() async throws {
    let typist = try Typist()
    let result = try await typist.type("sec\u{3}")
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(typist.echoes)
  }

  @Test("a line of a pipe is read, and no more of it")
  func pipe() throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("secret word\r\nnext\nwhole".utf8))
    try pipe.fileHandleForWriting.close()
    let input = SecretInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
    #expect(!input.isTerminal)
    #expect(try input.read("?") == "secret word")
    #expect(try input.read("?") == "next")
    #expect(try input.read("?") == "whole")
    #expect(throws: LocalAppError.self) { try input.read("?") }
  }

  @Test("no text, endless text and nothing are refused")
  func hostile() throws {
    for bytes in [Data(), Data([0xff, 0x0a]), Data(repeating: 0x61, count: 5_000)] {
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: bytes)
      try pipe.fileHandleForWriting.close()
      #expect(throws: LocalAppError.self) {
        try SecretInput(descriptor: pipe.fileHandleForReading.fileDescriptor).read("?")
      }
    }
  }
}
