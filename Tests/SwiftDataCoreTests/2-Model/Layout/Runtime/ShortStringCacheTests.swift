import TestSupport
import Testing

@testable import SwiftDataCore

@Suite("Repeated short texts")
struct ShortStringCacheTests {
  private func text(_ bytes: [UInt8], of column: Int, in texts: borrowing ShortStringCache)
    -> String
  {
    bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { texts.text($0, bytes.count, of: column) } ?? ""
    }
  }

  @Test(
    "equal the decoded bytes, for any previous content",
    arguments: 0..<TestEnvironment.rounds(UInt64(8)))
  func sameAsDecoding(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let texts = ShortStringCache(columns: 3)
    // A small alphabet, so that texts differ in one place; it includes an incomplete UTF-8
    // sequence.
    let letters: [UInt8] = [0x61, 0x62, 0x00, 0xC3]
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...ShortStringCache.maximumBytes, using: &random)
      var bytes = [UInt8](repeating: 0x61, count: count)
      for _ in 0..<2 {
        bytes[Int.random(in: 0..<count, using: &random)] =
          letters.randomElement(using: &random) ?? 0
      }
      let column = Int.random(in: 0..<3, using: &random)
      #expect(text(bytes, of: column, in: texts) == String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test("aren't looked up in columns without repetitions, nor in unknown columns")
  func givenUp() {
    let texts = ShortStringCache(columns: 2)
    for number in 10_000..<20_000 {
      #expect(text(Array("\(number)".utf8), of: 0, in: texts) == "\(number)")
      #expect(text(Array("same".utf8), of: 1, in: texts) == "same")
      #expect(text(Array("same".utf8), of: 7, in: texts) == "same")
    }
    #expect(texts.credits[0] == 0)
    #expect(texts.credits[1] > 0)
  }
}
