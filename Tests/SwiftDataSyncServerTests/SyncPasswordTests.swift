import SwiftDataSyncServer
import Testing

@Suite struct SyncPasswordTests {
  private static let zeros = String(repeating: "0", count: 32)

  @Test func aPasswordMatchesItself() throws {
    let kept = SyncPassword("correct horse")
    #expect(kept.matches("correct horse"))
    for other in ["", "correct horse ", "Correct horse", "correct horse\0"] {
      #expect(!kept.matches(other))
    }
    let read = try #require(SyncPassword(text: kept.text))
    #expect(read == kept && read.matches("correct horse"))
    #expect(!kept.text.contains("horse") && "\(kept)" == "SyncPassword")
    #expect(!SyncPassword("a\0").matches("a\0") && !SyncPassword("a\0").matches("a\0\0"))
    #expect(SyncPassword("correct horse").text != kept.text, "each has a salt of its own")
  }

  @Test func equivalentSpellingsAreOnePassword() {
    #expect(SyncPassword("caf\u{e9}").matches("cafe\u{301}"))
  }

  @Test func theDummyMatchesNothing() {
    #expect(!SyncPassword.dummy.matches("") && !SyncPassword.dummy.matches("a"))
    #expect(!SyncPassword.dummy.matches(String(repeating: "a", count: 1_025)))
  }

  @Test(arguments: [
    "", "a", ":::", "pbkdf2-sha256:600000::", "pbkdf2-sha1:600000:\(zeros):\(zeros)\(zeros)",
    "pbkdf2-sha256:599999:\(zeros):\(zeros)\(zeros)",
    "pbkdf2-sha256:20000001:\(zeros):\(zeros)\(zeros)",
    "pbkdf2-sha256:99999999999999999999:\(zeros):\(zeros)\(zeros)",
    "pbkdf2-sha256:+600000:\(zeros):\(zeros)\(zeros)",
    "pbkdf2-sha256:-600000:\(zeros):\(zeros)\(zeros)",
    "pbkdf2-sha256:600000:\(zeros):\(zeros)", "pbkdf2-sha256:600000:\(zeros)0:\(zeros)\(zeros)",
    "pbkdf2-sha256:600000:\(zeros):\(zeros)\(zeros):",
    "pbkdf2-sha256:600000:\(zeros):\(zeros)F\(zeros)",
    "pbkdf2-sha256:600000:\(zeros):\(zeros)\(zeros)\n",
  ])
  func otherTextsAreNoStoredForm(_ text: String) {
    #expect(SyncPassword(text: text) == nil)
  }

  @Test func aStoredFormIsRead() {
    let text = "pbkdf2-sha256:600000:\(Self.zeros):\(Self.zeros)\(Self.zeros)"
    #expect(SyncPassword(text: text)?.text == text)
  }

  @Test func newTokensAreUsableAndDiffer() throws {
    let tokens = (0..<100).map { _ in SyncTokens.random() }
    #expect(Set(tokens).count == 100 && tokens.allSatisfy { $0.utf8.count == 43 })
    _ = try SyncTokens(tokens.map { ("ann", $0) })
    #expect(
      SyncTokens.digestText(of: "abc")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
