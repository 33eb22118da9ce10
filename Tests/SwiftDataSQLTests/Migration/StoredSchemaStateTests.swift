import SwiftDataCore
import Testing

@testable import SwiftDataSQL

@Suite("What a store keeps of its schema")
struct StoredSchemaStateTests {
  /// Forms of entities with hard names, and of the texts that fingerprints have.
  private let forms = EntityForms([
    "Trip": "Trip Trip - false\n  name Text\nunique []\n", "two words": "",
    "Ort": "Straße\n\n3 x y\n",
  ])

  private func state(_ text: String, hashes: [String: String]? = nil) -> StoredSchemaState {
    var state = StoredSchemaState()
    state.hashes = hashes ?? forms.hashes
    state.forms = StoredSchemaState.forms(from: text)
    return state
  }

  @Test("the text of forms has all of them")
  func text() throws {
    let read = StoredSchemaState.forms(from: StoredSchemaState.text(of: forms))
    #expect(read.mapValues(\.text) == forms.texts)
    #expect(read.mapValues(\.hash) == forms.hashes)
    #expect(StoredSchemaState.forms(from: StoredSchemaState.text(of: .none)).isEmpty)
  }

  @Test("a text that ends early, or has other bytes, gives forms of the text at most")
  func damaged() {
    let text = StoredSchemaState.text(of: forms)
    let whole = StoredSchemaState.forms(from: text)
    for end in text.unicodeScalars.indices {
      let part = StoredSchemaState.forms(from: String(text.unicodeScalars[..<end]))
      #expect(part.allSatisfy { whole[$0.key] == $0.value } && part.count < whole.count)
    }
    for text in [
      "-1 a b\n", "9223372036854775807 a b\n", "99999999999999999999 a b\n", "a b c\n", "1 a\nx",
      "1  b\nx", "\n", " ", "2 a b\nx",
    ] {
      #expect(StoredSchemaState.forms(from: text).isEmpty, "\(text)")
    }
  }

  @Test("forms are recognized by their texts, and by their hashes where there are no texts")
  func fitting() {
    let text = StoredSchemaState.text(of: forms)
    #expect(state(text).fits(forms))
    #expect(state("").fits(forms))
    #expect(state(text).fits(.none))
    #expect(state(text).fits(EntityForms(forms.texts.filter { $0.key == "Trip" })))
    #expect(!state(text).fits(EntityForms(["Trip": "another"])))
    #expect(!state("").fits(EntityForms(["Trip": "another"])))
    #expect(!state(text).fits(EntityForms(forms.texts.merging(["new": ""]) { $1 })))
  }

  @Test(
    "an entity whose hash alone was changed, by a version that keeps no texts, has another form")
  func staleText() {
    var hashes = forms.hashes
    hashes["Trip"] = EntityForms(["Trip": "migrated"]).hashes["Trip"]
    let stale = state(StoredSchemaState.text(of: forms), hashes: hashes)
    #expect(!stale.fits(forms))
    #expect(stale.fits(EntityForms(["Trip": "migrated"])))
    hashes["Trip"] = nil
    #expect(!state(StoredSchemaState.text(of: forms), hashes: hashes).fits(forms))
  }

  @Test("an entity may have the form that earlier versions of the library gave it")
  func formerForm() throws {
    let wanted = EntityForms(forms.texts.merging(["Trip": "new form"]) { $1 }, former: forms.texts)
    let text = StoredSchemaState.text(of: forms)
    #expect(state(text).fits(wanted))
    #expect(state("").fits(wanted))
    #expect(!state(text).fits(EntityForms(wanted.texts, former: ["Trip": "another"])))
    var outgrown = state(text, hashes: EntityForms(["Trip": "migrated"]).hashes)
    #expect(outgrown.changedEntities(wanted) == [])
    outgrown.former = ["Trip \(try #require(forms.hashes["Trip"]))"]
    #expect(outgrown.changedEntities(wanted) == ["Trip"])
    outgrown.hashes = forms.hashes
    #expect(outgrown.changedEntities(wanted) == [])
  }
}
