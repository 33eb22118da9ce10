import SwiftData
import Testing

/// Versions of one entity, of which the second has a default with quotes that bear accents.
private enum SignForms {
  enum First {
    @Model
    final class Sign {
      var number: Int

      init(_ number: Int) { self.number = number }
    }
  }

  enum Second {
    @Model
    final class Sign {
      var number: Int
      var text: String = "l'\u{301}e\u{301}t\u{e9}''\u{301}"

      init(_ number: Int) { self.number = number }
    }
  }
}

@Suite(
  "Defaults with quotes migrate",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct QuotedDefaultTests {
  @Test("a quote with an accent ends no text in a statement")
  func accents() throws {
    let store = try TemporaryStore()
    let first = ModelContext(try store.container(SignForms.First.Sign.self))
    first.insert(SignForms.First.Sign(1))
    try first.save()
    let second = ModelContext(try store.container(SignForms.Second.Sign.self))
    let signs = try second.fetch(FetchDescriptor<SignForms.Second.Sign>())
    #expect(signs.map { Array($0.text.utf8) } == [Array("l'\u{301}e\u{301}t\u{e9}''\u{301}".utf8)])
  }
}
