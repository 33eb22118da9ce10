import Foundation
import LocalApp

/// Writes a synthetic feed to a file, in constant memory.
public enum FeedFile {
  /// Writes a summary feed of a catalogue.
  /// - Parameters:
  ///   - feed: The feed.
  ///   - catalogue: The state that the feed shows.
  ///   - file: The file to write; an existing file is replaced when everything is written.
  /// - Returns: The number of bytes.
  /// - Throws: ``DemoFeedError`` when the file cannot be written.
  public static func write(
    _ feed: SummaryFeed, of catalogue: Catalogue, to file: URL
  ) throws -> Int {
    let partial = file.appendingPathExtension("partial")
    var written = 0
    let descriptor = open(partial.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw DemoFeedError(.cannotWrite, file.path, reason: String(cString: strerror(errno)))
    }
    do {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      for piece in FeedDocument(feed, of: catalogue) {
        try handle.write(contentsOf: piece)
        written += piece.count
      }
      try handle.close()
      if FileManager.default.fileExists(atPath: file.path) {
        try FileManager.default.removeItem(at: file)
      }
      try FileManager.default.moveItem(at: partial, to: file)
    } catch {
      unlink(partial.path)
      throw DemoFeedError(.cannotWrite, file.path, reason: FileFailure.reason(error))
    }
    return written
  }
}
