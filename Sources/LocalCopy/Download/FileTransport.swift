import Foundation
import WireFormats

/// Reads a feed from a file in pieces.
struct FileTransport {
  /// The size of a piece in bytes. Other tasks run between two pieces, which wakes other threads.
  private static let pieceSize = 1 << 18

  let configuration: HTTPConfiguration
  let clock: any TimeSource

  /// Reads the file.
  /// - Throws: ``LocalCopyError``, and errors of the sink.
  func read(_ url: URL, into sink: FeedSink) async throws -> FeedAnswer {
    let handle: FileHandle
    do {
      handle = try FileHandle(forReadingFrom: url)
    } catch {
      throw unreadable(url, error)
    }
    defer { close(handle) }
    try sink.begin(size(of: url))
    let body = BodyDecoder(.detected, configuration)
    while let data = try piece(of: handle, url) {
      try Task.checkCancellation()
      // Files are read without waiting, so the task yields explicitly to let other tasks of the thread run.
      await Task.yield()
      try data.withUnsafeBytes { raw in
        try body.receive(raw.bindMemory(to: UInt8.self)) {
          try sink.receive($0, body.wireBytes)
        }
      }
    }
    try body.finish { try sink.receive($0, body.wireBytes) }
    return FeedAnswer(
      received: clock.now, wireBytes: body.wireBytes, decodedBytes: body.decodedBytes)
  }

  private func piece(of handle: FileHandle, _ url: URL) throws -> Data? {
    do {
      guard let data = try handle.read(upToCount: Self.pieceSize), !data.isEmpty else { return nil }
      return data
    } catch {
      throw unreadable(url, error)
    }
  }

  /// Returns nil for pipes and other files of unknown size.
  private func size(of url: URL) -> Int? {
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    } catch {
      return nil
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
    return attributes[.size] as? Int
  }

  private func close(_ handle: FileHandle) {
    do {
      try handle.close()
    } catch {
      // Nothing was written, so nothing can be lost.
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
