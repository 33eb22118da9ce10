import Foundation

/// Images as far as their headers; their pixels are noise.
enum SamplePhotos {
  static func png(_ width: Int = 40, _ height: Int = 30, count: Int = 1_000) -> Data {
    padded(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + big(width, 4) + big(height, 4) + [8, 2, 0, 0, 0], count)
  }

  static func jpeg(_ width: Int = 40, _ height: Int = 30, count: Int = 1_000) -> Data {
    padded(
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xFF, 0xC4, 0, 3, 9, 0xFF, 0xC2, 0, 11, 8]
        + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0], count)
  }

  static func webp(_ chunk: String, _ header: [UInt8]) -> Data {
    padded(
      Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8) + Array(chunk.utf8) + header, 100)
  }

  private static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func padded(_ header: [UInt8], _ count: Int) -> Data {
    Data(
      header + (0..<max(0, count - header.count)).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) })
  }
}
