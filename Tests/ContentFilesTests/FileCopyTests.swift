import ContentFiles
import Foundation
import TestSupport
import Testing

@Suite("Copies of files")
struct FileCopyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder("copies") }

  private func path(_ name: String) -> String { folder.file(name).path }

  private func status(_ path: String) throws -> stat {
    var status = stat()
    guard stat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
    return status
  }

  @Test("have the bytes and the permissions")
  func copies() throws {
    for count in [0, 1, 3 << 20 + 5] {
      let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      let (source, target) = (path("source \(count)"), path("target \(count)"))
      try bytes.write(to: URL(filePath: source))
      #expect(chmod(source, 0o400) == 0)
      #expect(try FileCopy.copy(source, to: target))
      #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
      #expect(try status(target).st_mode & 0o777 == 0o400)
    }
  }

  @Test("of a missing file are none, and none replaces a file or follows a link")
  func refused() throws {
    #expect(try !FileCopy.copy(path("missing"), to: path("target")))
    #expect(try !FileCopy.link(path("missing"), to: path("target")))
    let source = try folder.file("source", "ours").path
    let other = try folder.file("other", "theirs")
    #expect(symlink(source, path("link")) == 0)
    #expect(throws: POSIXError.self) { try FileCopy.copy(source, to: other.path) }
    #expect(throws: POSIXError.self) { try FileCopy.link(source, to: other.path) }
    #expect(throws: POSIXError.self) { try FileCopy.copy(path("link"), to: path("target")) }
    #expect(try String(contentsOf: other, encoding: .utf8) == "theirs")
    #expect(!FileManager.default.fileExists(atPath: path("target")))
  }

  @Test("of a pipe that nobody writes, or of a folder, are none")
  func noFile() throws {
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    #expect(mkdir(path("folder"), 0o700) == 0)
    for name in ["pipe", "folder"] {
      #expect(try !FileCopy.copy(path(name), to: path("target")))
      #expect(!FileManager.default.fileExists(atPath: path("target")))
    }
  }

  @Test("that are ended leave nothing")
  func ended() throws {
    let source = folder.file("source")
    try Data(count: 3 << 20).write(to: source)
    var count = 0
    #expect(throws: CancellationError.self) {
      try FileCopy.copy(source.path, to: path("target")) {
        count += 1
        if count == 3 { throw CancellationError() }
      }
    }
    #expect(!FileManager.default.fileExists(atPath: path("target")))
  }

  @Test("of files that never change are second names")
  func links() throws {
    let source = try folder.file("source", "ours").path
    #expect(try FileCopy.link(source, to: path("target")))
    #expect(try status(source).st_ino == status(path("target")).st_ino)
  }
}
