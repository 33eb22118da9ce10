import Testing

@testable import LocalCopy

@Suite("The format of a document that is not JSON is detected")
struct ForeignContentTests {
  @Test(
    "JSONP, CSV, HTML, XML, archives and other encodings are distinguished",
    arguments: [
      ("eqfeed_callback({\"type\":1});", "JSONP"), ("/**/ cb ([1]);", "JSONP"),
      ("time,latitude,longitude\n1,2,3", "CSV"), ("\"a\",\"b\",\"c\"\n", "CSV"),
      ("2021-01-01,5,6", "CSV"), ("true,false,1", "CSV"), ("a;b;c", "CSV"), ("a\tb\tc", "CSV"),
      ("\n<!DOCTYPE HTML><html>", "HTML page"), ("<HTML>", "HTML page"),
      ("<?xml version=\"1.0\"?><a/>", "XML"), ("\u{FEFF}{}", "byte order mark"),
      ("PK\u{3}\u{4}...", "zip"), ("\0{\0}", "UTF-16"),
    ])
  func named(document: String, name: String) throws {
    for size in [1, 5, Int.max] {
      let error = try #require(throws: LocalCopyError.self) {
        try scan(document, .elements("features"), pieceSize: size)
      }
      #expect(error.code == .notJSON)
      #expect(error.description.contains(name), "\(error)")
    }
  }

  @Test("Gzip data is named") func gzip() throws {
    let error = try #require(throws: LocalCopyError.self) {
      try scan([0x1F, 0x8B, 8, 0, 0, 0], .document, pieceSize: 1)
    }
    #expect(error.description.contains("gzip"))
  }

  @Test("Unknown content is a malformed document") func unknown() throws {
    for document in ["hello", "@@", "nul", "-x"] {
      let error = try #require(throws: LocalCopyError.self) { try scan(document, .document) }
      #expect(error.code == .malformedDocument)
    }
  }

  @Test(
    "The captured JSONP and CSV files are refused by name",
    .enabled(if: SharedData.exists("usgs/feeds"), "\(SharedData.absence("usgs/feeds"))"))
  func captures() throws {
    for (suffix, name) in [(".geojsonp", "JSONP"), (".csv", "CSV")] {
      for file in try SharedData.names(in: "usgs/feeds", suffix: suffix) {
        let document = try SharedData.bytes("usgs/feeds/\(file)")
        let error = try #require(throws: LocalCopyError.self) {
          try scan(document, .elements("features"), pieceSize: 4096)
        }
        #expect(error.description.contains(name))
      }
    }
  }
}
