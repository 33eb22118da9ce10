import Foundation

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
    do {
      guard FileManager.default.createFile(atPath: partial.path, contents: nil) else {
        throw CocoaError(.fileWriteUnknown)
      }
      let handle = try FileHandle(forWritingTo: partial)
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
      throw DemoFeedError(.cannotWrite, file.path, reason: error.localizedDescription)
    }
    return written
  }
}
