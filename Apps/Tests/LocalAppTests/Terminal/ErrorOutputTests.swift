import Foundation
import LocalApp
import Testing

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
