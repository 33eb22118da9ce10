import Foundation
import WireFormats

/// Reads a feed from a file in pieces.
struct FileTransport {
  /// The size of a piece in bytes. Other tasks run between two pieces, which wakes other threads.
  private static let pieceSize = 1 << 18

  let configuration: HTTPConfiguration
  let clock: any TimeSource

  /// Reads the file.
  /// - Throws: ``LocalCopyError``, `CancellationError`, and errors of the sink.
  func read(_ url: URL, into sink: FeedSink) async throws -> FeedAnswer {
    let file: FeedFile
    do { file = try FeedFile(url) } catch { throw unreadable(url, error) }
    try sink.begin(file.size)
    let body = BodyDecoder(.detected, configuration)
    while let piece = try await piece(of: file, url) {
      // Files are read without waiting, so the task yields explicitly.
      await FeedFile.letOthersRun()
      try piece.withUnsafeBufferPointer { bytes in
        try body.receive(bytes) { try sink.receive($0, body.wireBytes) }
      }
    }
    try body.finish { try sink.receive($0, body.wireBytes) }
    return FeedAnswer(
      received: clock.now, wireBytes: body.wireBytes, decodedBytes: body.decodedBytes)
  }

  private func piece(of file: FeedFile, _ url: URL) async throws -> [UInt8]? {
    do { return try await file.piece(upTo: Self.pieceSize) } catch let error as CancellationError {
      throw error
    } catch {
      throw unreadable(url, error)
    }
  }

  private func unreadable(_ url: URL, _ cause: any Error) -> LocalCopyError {
    let path = url.path(percentEncoded: false)
    let exists = FileManager.default.fileExists(atPath: path)
    return LocalCopyError(
      .fileUnreadable,
      reason: exists ? "The file can't be read" : "The file does not exist",
      advice: "Check the path and the permissions."
    ).causedBy(cause)
  }
}
