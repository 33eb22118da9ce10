import Foundation

/// The file of a write-ahead log (https://sqlite.org/fileformat2.html, section 4). SQLite has no locks on it, so it may
/// be opened and closed.
struct LogFile {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Calls `body` with the page number of each frame; never when the file can't be read.
  func forEachPage(of extent: LogExtent, _ body: (Int64) -> Void) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var number: UInt32 = 0
    for frame in 0..<extent.frames {
      let offset = LogExtent.header + frame * (LogExtent.frameHeader + extent.pageSize)
      guard pread(descriptor, &number, 4, off_t(offset)) == 4 else { return }
      body(Int64(UInt32(bigEndian: number)))
    }
  }
}
