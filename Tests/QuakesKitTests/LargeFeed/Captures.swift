import Foundation
import QuakesKit
import Testing
import WireFormats

/// Real captures in the folder beside the project, if it exists.
enum Captures {
  static let reason: Comment = "no captures of real feeds in ../shared/data"

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../shared/data/usgs").standardizedFileURL

  static func exist(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// Returns the URL of a capture.
  static func file(_ path: String) -> URL { root.appending(path: path) }

  /// Returns the decompressed bytes of a gzipped capture.
  static func inflated(_ path: String) throws -> Data {
    let packed = [UInt8](try Data(contentsOf: root.appending(path: path)))
    var bytes = Data()
    let inflater = try Inflater()
    try packed.withUnsafeBufferPointer { packed in
      try inflater.inflate(packed) { bytes.append($0) }
    }
    return bytes
  }

  /// Returns the features of a gzipped GeoJSON capture.
  static func features(_ path: String) throws -> [Feature] {
    struct Collection: Decodable { var features: [Feature] }
    return try JSONDecoder().decode(Collection.self, from: inflated(path)).features
  }
}
