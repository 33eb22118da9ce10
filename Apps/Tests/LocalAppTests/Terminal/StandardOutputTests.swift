import Dispatch
import Foundation
import LocalApp
import Synchronization
import Testing

@Suite("Standard output")
struct StandardOutputTests {
  @Test("A pipe that doesn't block gets all bytes", .timeLimit(.minutes(5)))
  func nonBlocking() throws {
    let pipe = Pipe()
    let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    #expect(fcntl(writing.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let read = Mutex(Data())
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      let data = reading.readDataToEndOfFile()
      read.withLock { $0 = data }
    }
    // Without a closed end, the reader would wait for ever.
    let outcome = Result { try StandardOutput.write(bytes, to: writing.fileDescriptor) }
    try writing.close()
    group.wait()
    try outcome.get()
    #expect(read.withLock { Array($0) } == bytes)
  }
}
