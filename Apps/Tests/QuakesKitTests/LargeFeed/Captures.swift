import Foundation
import QuakesKit
import Testing
import WireFormats

@testable import TestSupport

/// The captures of the USGS's feeds in the shared data.
enum Captures {
  static func exist(_ path: String) -> Bool { SharedData.exists("usgs/\(path)") }

  /// Returns the reason for which a test is skipped when a capture is missing.
  static func absence(_ path: String) -> Comment { "\(SharedData.absence("usgs/\(path)"))" }

  /// Returns the URL of a capture.
  static func file(_ path: String) -> URL { SharedData.url("usgs/\(path)") }

  /// Returns the decompressed bytes of a gzipped capture.
  static func inflated(_ path: String) throws -> Data {
    let packed = try SharedData.bytes("usgs/\(path)")
    var bytes = Data()
    let inflater = try Inflater()
    try packed.withUnsafeBufferPointer { packed in
      try inflater.inflate(packed) { bytes.append($0) }
    }
    return bytes
  }

  /// Returns the features of a gzipped GeoJSON capture.
  static func features(_ path: String) throws -> [Event] {
    struct Collection: Decodable { var features: [FeedEvent] }
    return try JSONDecoder().decode(Collection.self, from: inflated(path)).features.map(\.event)
  }
}
