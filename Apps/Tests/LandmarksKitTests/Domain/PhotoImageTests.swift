import Foundation
import LandmarksKit
import Testing

@testable import TestSupport

@Suite("Images by their first bytes")
struct PhotoImageTests {
  @Test("the formats are recognized with their sizes")
  func formats() throws {
    let png = try #require(PhotoImage(SamplePhotos.png(4_000, 3_000)))
    #expect(png.format == .png && png.width == 4_000 && png.height == 3_000)
    let jpeg = try #require(PhotoImage(SamplePhotos.jpeg(4_000, 3_000)))
    #expect(jpeg.format == .jpeg && jpeg.width == 4_000 && jpeg.height == 3_000)
    let size: [UInt8] = [0, 0, 0, 0]
    for (chunk, header) in [
      ("VP8 ", size + [0x30, 1, 0, 0x9D, 0x01, 0x2A, 0x20, 0x03, 0x58, 0x02]),
      ("VP8L", size + [0x2F, 0x1F, 0xC3, 0x95, 0x00]),
      ("VP8X", size + [0, 0, 0, 0, 0x1F, 0x03, 0, 0x57, 0x02, 0]),
    ] as [(String, [UInt8])] {
      let webp = try #require(PhotoImage(SamplePhotos.webp(chunk, header)))
      #expect(webp.format == .webp && webp.width == 800 && webp.height == 600, "\(chunk)")
    }
    #expect(png.format.mediaType == "image/png" && jpeg.format.fileEnding == "jpg")
  }

  @Test("pages, drawings, and headers that are cut off or without a size are none")
  func others() {
    for text in [
      "", "<!doctype html><script>alert(1)</script>", "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "GIF89a", "%PDF-1.7", "BM",
    ] {
      #expect(PhotoImage(Data(text.utf8)) == nil, "\(text)")
    }
    for whole in [SamplePhotos.png(count: 29), SamplePhotos.jpeg(count: 24)] {
      for count in 0..<(whole.count - 6) { #expect(PhotoImage(whole.prefix(count)) == nil) }
    }
    #expect(PhotoImage(SamplePhotos.png(0, 10)) == nil)
    #expect(PhotoImage(SamplePhotos.jpeg(10, 0)) == nil)
  }

  @Test("no bytes trap, whatever follows a known beginning")
  func noise() {
    var random = SeededGenerator(seed: 6)
    for start in [
      SamplePhotos.png(), SamplePhotos.jpeg(), Data("RIFFaaaaWEBPVP8 ".utf8),
      Data("RIFFaaaaWEBPVP8L".utf8), Data("RIFFaaaaWEBPVP8X".utf8), Data([0xFF, 0xD8, 0xFF]),
    ] {
      for _ in 0..<500 {
        var bytes = Array(start.prefix(Int.random(in: 0...40, using: &random)))
        bytes += (0..<Int.random(in: 0...60, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        _ = PhotoImage(bytes)
      }
    }
  }

  @Test("too many bytes or pixels are refused, and so are captions of several lines")
  func limits() throws {
    #expect(throws: LandmarksError.self) {
      try VisitPhoto.check(SamplePhotos.png(count: VisitPhoto.maximumByteCount + 1))
    }
    #expect(throws: LandmarksError.self) { try VisitPhoto.check(SamplePhotos.png(8_000, 5_001)) }
    #expect(throws: LandmarksError.self) {
      try VisitPhoto.check(SamplePhotos.png(0xFFFF_FFFF, 0xFFFF_FFFF))
    }
    #expect(try VisitPhoto.check(SamplePhotos.png(8_000, 5_000)).width == 8_000)
    for caption in ["a\nb", "a\u{2028}b", "\u{1B}[31m", String(repeating: "a", count: 201)] {
      #expect(throws: LandmarksError.self, "\(caption)") { try VisitPhoto.check(caption: caption) }
    }
    try VisitPhoto.check(caption: String(repeating: "é", count: 200))
  }
}
