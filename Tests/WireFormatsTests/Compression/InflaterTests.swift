import Testing
import WireFormats

@Suite("Compressed data in pieces")
struct InflaterTests {
  private func inflated(
    _ bytes: [UInt8], pieces: Int, _ format: Inflater.Format = .gzipOrZlib
  ) throws -> [UInt8] {
    let inflater = try Inflater(format)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      try bytes[start..<min(bytes.count, start + pieces)].withUnsafeBufferPointer { piece in
        try inflater.inflate(piece) { output.append(contentsOf: $0) }
      }
    }
    try inflater.finish()
    return output
  }

  private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
  /// “hello” as zlib data (RFC 1950).
  private static let zlib: [UInt8] = [
    0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x06, 0x2c, 0x02, 0x15,
  ]

  @Test("Pieces of any size give the same bytes", arguments: [1, 7, 1_000, 1 << 20])
  func pieces(size: Int) throws {
    let packed = try GzipEncoder.compress(Self.bytes)
    #expect(try inflated(packed, pieces: size) == Self.bytes)
  }

  @Test("Members follow each other; other data after the end is an error")
  func members() throws {
    let packed = try GzipEncoder.compress([1, 2, 3])
    #expect(try inflated(packed + packed, pieces: 5) == [1, 2, 3, 1, 2, 3])
    #expect(try GzipDecoder.expand(packed + packed, limit: 6) == [1, 2, 3, 1, 2, 3])
    let error = #expect(throws: CompressionError.self) {
      try inflated(packed + [0], pieces: 1 << 20)
    }
    #expect(error?.code == .damaged || error?.code == .truncated)
  }

  @Test("Both formats are recognized, unless only one is allowed")
  func formats() throws {
    #expect(try inflated(Self.zlib, pieces: 3) == Array("hello".utf8))
    let error = #expect(throws: CompressionError.self) {
      try inflated(Self.zlib, pieces: 3, .gzip)
    }
    #expect(error?.code == .damaged)
    #expect(error?.message != nil)
  }

  @Test("Data that ends too early isn't complete")
  func truncated() throws {
    let packed = try GzipEncoder.compress(Self.bytes)
    for count in [0, 1, 9, 10, packed.count / 2, packed.count - 1] {
      let error = #expect(throws: CompressionError.self) {
        try inflated(Array(packed.prefix(count)), pieces: 1 << 20)
      }
      #expect(error?.code == .truncated)
    }
  }

  @Test("The sink's error ends the call")
  func sink() throws {
    struct Refusal: Error {}
    let packed = try GzipEncoder.compress(Self.bytes)
    let inflater = try Inflater()
    #expect(throws: Refusal.self) {
      try packed.withUnsafeBufferPointer { packed in
        try inflater.inflate(packed) { _ in throw Refusal() }
      }
    }
  }
}
