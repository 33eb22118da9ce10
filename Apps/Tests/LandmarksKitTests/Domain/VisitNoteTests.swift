import LandmarksKit
import Testing

@Suite("The rules for notes")
struct VisitNoteTests {
  @Test(
    "line ends become line feeds, control characters and white space at the ends are left out",
    arguments: [
      ("", ""), (" \t\n\r\n ", ""), ("Bring water", "Bring water"), ("\n a \n\n b\t\n", "a \n\n b"),
      ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("a\r\r\nb", "a\n\nb"),
      ("a\u{0}\u{1B}[2Jb\u{7F}\u{9B}", "a[2Jb"),
      ("a\tb", "a\tb"), ("\u{A0}😀\u{2003}", "😀"),
    ])
  func normalized(_ text: String, _ note: String) {
    #expect(VisitNote.normalized(text) == note)
    #expect(VisitNote.normalized(note) == note && VisitNote.isClean(note))
    #expect(VisitNote.isClean(text) || text != note)
  }

  @Test("a note has 2,000 units of UTF-16, or as many as the one before it")
  func length() throws {
    let longest = String(repeating: "😀", count: VisitNote.maximumLength / 2)
    try VisitNote.check(longest)
    let error = #expect(throws: LandmarksError.self) { try VisitNote.check(longest + "a") }
    #expect(
      error?.description == "note: a note has at most 2000 characters, this one has 2001")
    #expect(error?.code == .invalidArgument)
    try VisitNote.check(longest + "a", replacing: longest + "b")
    #expect(throws: LandmarksError.self) {
      try VisitNote.check(longest + "abc", replacing: longest + "b")
    }
  }
}
