import ContentFiles
import Testing

@Suite("Names of files by their content")
struct ContentNameTests {
  // FIPS 180-2, appendix B.1.
  private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test("Whole contents and pieces have the same name")
  func names() {
    #expect(ContentName.text(of: Array("abc".utf8)) == Self.abc)
    #expect(ContentName.text(of: Array("xabcx".utf8)[1...3]) == Self.abc)
    #expect(ContentName.text(of: "abc".utf16.lazy.map { UInt8($0) }) == Self.abc)
    var name = ContentName()
    for piece in ["a", "", "bc"] {
      Array(piece.utf8).withUnsafeBytes { name.update($0) }
    }
    #expect(name.text == Self.abc)
  }

  @Test("Only a valid name refers to a file")
  func form() {
    #expect(ContentName.isName(Self.abc))
    for text in [
      "", Self.abc.uppercased(), String(Self.abc.dropLast()), Self.abc + "0",
      "../" + Self.abc.dropFirst(3), "/" + Self.abc.dropFirst(), "é" + Self.abc.dropFirst(2),
    ] { #expect(!ContentName.isName(text), "\(text)") }
  }
}
