import SwiftData
import SwiftDataExtras
import Testing

/// Keeps letters from being encoded.
enum LetterSeal {
  @TaskLocal static var isSet: Bool = false
}

/// Codable, and nothing more.
enum LetterStamp: Codable {
  case plain
  case valued(Int)
}

/// A value that can't be encoded while it is sealed.
struct SealedLetter: Codable, Sendable {
  struct Refusal: Error {}

  enum CodingKeys: String, CodingKey { case words, stamp }

  var words: [String]
  var stamp = LetterStamp.valued(1)

  func encode(to encoder: any Encoder) throws {
    if LetterSeal.isSet { throw Refusal() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(words, forKey: .words)
    try container.encode(stamp, forKey: .stamp)
  }
}

@Model @Snapshotable
final class LetterBox {
  var letter: SealedLetter
  init(_ words: String...) { letter = SealedLetter(words: words) }
}

@Suite("Snapshots with a value that can't be encoded")
struct UncodedSnapshotTests {
  @Test("are equal when the members of the value are")
  func equality() {
    let one = LetterBox("a", "b").snapshot
    var (same, longer, plain) = (one, one, one)
    same.letter = SealedLetter(words: ["a", "b"])
    longer.letter.words.append("c")
    plain.letter.stamp = .plain
    LetterSeal.$isSet.withValue(true) {
      #expect(one == same)
      #expect(one.hashValue == same.hashValue)
      #expect(one != longer)
      #expect(one != plain)
      #expect(plain == plain)
      #expect(Set([one, same, longer, plain]).count == 3)
    }
  }

  @Test("leave no change in a model that has the value")
  func applying() throws {
    let context = ModelContext(try memoryContainer(LetterBox.self))
    let box = LetterBox("a")
    context.insert(box)
    try context.save()
    let snapshot = box.snapshot
    try LetterSeal.$isSet.withValue(true) { try box.apply(snapshot) }
    #expect(!context.hasChanges)
  }
}
