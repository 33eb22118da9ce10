import Foundation
import LocalApp
import WireFormats

/// Captures of real feeds, served one after the other.
public struct Replay: Hashable, Sendable {
  /// The maximum size of a capture, in bytes after expansion.
  static let maximumSize = 512 * 1_024 * 1_024

  /// The captures in the order in which they are served.
  public let files: [URL]

  /// Creates a replay of GeoJSON files, plain or gzipped, whose names contain their feed
  /// (`all_week_20210720….geojson`). If no name does, every feed shows every file.
  /// - Throws: ``DemoFeedError`` when a file cannot be read or is not a feature collection.
  public init(files: [URL]) throws {
    self.files = files
    for file in files { _ = try Self.read(file) }
  }

  /// Returns the captures that a feed steps through.
  public func captures(of feed: SummaryFeed) -> [URL] {
    let named = files.filter { $0.lastPathComponent.hasPrefix(feed.name + "_") }
    let anyNamed = files.contains { file in
      SummaryFeed.allFeeds.contains { file.lastPathComponent.hasPrefix($0.name + "_") }
    }
    return anyNamed ? named : files
  }

  /// Returns the document that a feed shows after `step` steps; the last capture is repeated.
  /// - Returns: `nil` when no capture belongs to this feed.
  /// - Throws: ``DemoFeedError`` when the file can no longer be read.
  func document(of feed: SummaryFeed, step: Int) throws -> [UInt8]? {
    let captures = captures(of: feed)
    guard !captures.isEmpty else { return nil }
    return try Self.read(captures[min(step, captures.count - 1)])
  }

  private static func read(_ file: URL) throws -> [UInt8] {
    var bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: file))
      if GzipDecoder.isGzip(bytes) {
        bytes = try GzipDecoder.expand(bytes, limit: maximumSize)
      }
    } catch {
      throw DemoFeedError(.unreadableCapture, file.path, reason: FileFailure.reason(error))
    }
    let start = String(decoding: bytes.prefix(400), as: UTF8.self).filter { !$0.isWhitespace }
    guard start.hasPrefix("{"), start.contains(#""type":"FeatureCollection""#) else {
      throw DemoFeedError(.notAFeed, file.path)
    }
    return bytes
  }
}
