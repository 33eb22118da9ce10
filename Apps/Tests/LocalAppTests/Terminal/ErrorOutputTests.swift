import Foundation
import Testing

@testable import LocalApp
@testable import TestSupport

@Suite("Messages on standard error")
struct ErrorOutputTests {
  @Test("are written as they are")
  func texts() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("messages", "")
    let handle = try FileHandle(forWritingTo: file)
    ErrorOutput.write("Name: ", to: handle.fileDescriptor)
    ErrorOutput.write("é\n", to: handle.fileDescriptor)
    try handle.close()
    #expect(try String(contentsOf: file, encoding: .utf8) == "Name: é\n")
  }

  @Test("of errors, whose text may be another's, control no terminal")
  func controls() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("messages", "")
    let handle = try FileHandle(forWritingTo: file)
    let output = MessageOutput(descriptor: handle.fileDescriptor)
    output.write("quakes: \u{1b}[31mred\u{07}\u{9b}2J\u{202e}\r\n\n\tnext é\n")
    try handle.close()
    #expect(
      try String(contentsOf: file, encoding: .utf8)
        == "quakes: \u{fffd}[31mred\u{fffd}\u{fffd}2J\u{fffd}\u{fffd}\n\n\u{fffd}next é\n")
  }

  #if os(Linux)
    @Test("don't end the program where nothing can be written")
    func full() throws {
      let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
      ErrorOutput.write("x", to: full.fileDescriptor)
      try full.close()
      ErrorOutput.write("x", to: -1)
    }
  #endif
}
