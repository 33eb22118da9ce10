import Foundation
import Testing

@testable import LocalCopy

@Suite("@FeedElement decodes the same values as Decodable")
struct FeedElementParityTests {
  @Test(
    "Random elements: the same values, skipped elements and errors",
    arguments: 0..<TestEnvironment.rounds(20))
  func randomElements(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let objects = (0..<100).map { _ in RandomElements.object(using: &random) }
    try expectSameImport(of: Everything.self, Array("[\(objects.joined(separator: ","))]".utf8))
    // One document per object, because a malformed object ends the document.
    var taken = 0
    for object in objects {
      let directly = try filled(Everything.self, object)
      let plainly = try? JSONElementDecoder().decode(Everything.self, document: Array(object.utf8))
      if directly != nil { taken += 1 }
      #expect(directly == nil || directly == plainly, "\(object)")
    }
    #expect(taken > 10, "the test has to reach what it is for")
  }

  @Test(
    "Damaged elements: never another value, never a trap", arguments: 0..<TestEnvironment.rounds(20)
  )
  func damagedElements(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(1000 + seed))
    for _ in 0..<150 {
      let bytes = RandomElements.mutated(RandomElements.object(using: &random), using: &random)
      try expectSameImport(
        of: Everything.self, [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")],
        pieceSize: Int.random(in: 1...2000, using: &random))
    }
  }

  @Test("Numbers at the edges are those of JSONDecoder", arguments: 0..<4)
  func numbers(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<500 {
      let digits = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        String(Int.random(in: 0...9, using: &random))
      }
      let whole = String(Int.random(in: 0...99, using: &random))
      let exponent = ["", "", "", "e5", "E-12", "e+300"].randomElement(using: &random) ?? ""
      let number = "-\(whole).\(digits.joined())\(exponent)"
      let document = #"{"t":"","i":0,"d":\#(number)}"#
      let foundation = try JSONDecoder().decode(Everything.self, from: Data(document.utf8))
      #expect(try filled(Everything.self, document)?.d == foundation.d, "\(number)")
    }
  }

  @Test(
    "Digits that overflow a word",
    arguments: [
      "18446744073709551617", "1.8446744073709551617", "36893488147419103233",
      "0.18446744073709551617",
      "9007199254740993", "9007199254740992.5", "-0.00000000000000000000000000001", "1e22", "1e23",
    ])
  func digits(number: String) throws {
    let document = #"{"t":"","i":0,"d":\#(number)}"#
    let foundation = try JSONDecoder().decode(Everything.self, from: Data(document.utf8))
    #expect(try filled(Everything.self, document)?.d == foundation.d)
  }

  private struct Collection: Decodable { var features: [CapturedFeature] }

  @Test(
    "Every real capture: the same values as by Decodable and by JSONDecoder",
    .enabled(if: SharedData.exists("usgs/feeds"), "\(SharedData.absence("usgs/feeds"))"))
  func captures() throws {
    let options = JSONDecodingOptions(dates: .millisecondsSince1970)
    let foundation = JSONDecoder()
    foundation.dateDecodingStrategy = .millisecondsSince1970
    var count = 0
    for folder in ["usgs/feeds", "usgs/fdsn"] {
      for name in try SharedData.names(in: folder, suffix: ".geojson") {
        let document = try SharedData.bytes("\(folder)/\(name)")
        let found = try expectSameImport(
          of: CapturedFeature.self, document, at: "features", decoding: options)
        let expected = try foundation.decode(Collection.self, from: Data(document)).features
        #expect(found == expected, "\(name)")
        count += found.count
      }
    }
    #expect(count > 10_000)
  }
}
