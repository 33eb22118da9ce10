import Foundation
import Testing
import WireFormats

@Suite("Gzip data in memory")
struct GzipTests {
  @Test(
    "Gzip data is expanded to the original, as a whole and in pieces",
    arguments: [0, 1, 100, 65_535, 65_536, 65_537, 131_072, 300_000])
  func gzipRoundTrip(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    let packed = try GzipEncoder.compress(bytes)
    #expect(GzipDecoder.isGzip(packed))
    #expect(try GzipDecoder.expand(packed, limit: size) == bytes)

    let encoder = try GzipEncoder(level: 1)
    var pieces: [UInt8] = []
    for start in stride(from: 0, to: size, by: 7_777) {
      try encoder.append(Array(bytes[start..<min(size, start + 7_777)]), to: &pieces)
    }
    try encoder.finish(into: &pieces)
    #expect(try GzipDecoder.expand(pieces, limit: size) == bytes)
  }

  @Test("Expanding stops at the limit, at damage and at an early end")
  func gzipFailures() throws {
    let packed = try GzipEncoder.compress([UInt8](repeating: 7, count: 100_000))
    #expect(throws: CompressionError.self) { try GzipDecoder.expand(packed, limit: 99_999) }
    #expect(throws: CompressionError.self) { try GzipDecoder.expand([], limit: 10) }
    for length in stride(from: 1, to: packed.count, by: 13) {
      #expect(throws: CompressionError.self) {
        try GzipDecoder.expand(Array(packed.prefix(length)), limit: 100_000)
      }
    }
    var damaged = packed
    damaged[packed.count / 2] ^= 0xff
    #expect(throws: CompressionError.self) { try GzipDecoder.expand(damaged, limit: 100_000) }
  }
}
