import SwiftData
import SwiftDataExtras
import Testing

private struct MarkPart: Codable, Hashable {
  var text: String?
  var code: Int?
  /// A computed value.
  var halved: Int? { code.map { $0 / 2 } }
}

private struct NotePart: Codable, Hashable {
  var word: String?
}

private struct Pad: Codable, Hashable {
  var note: NotePart?
}

private struct PairPart: Codable, Hashable {
  var count: Int??
}

@Model
private final class Marked {
  var number: Int
  var word: String?
  var mate: Marked?
  @Attribute(.codable) var pair = PairPart()
  var mark: MarkPart
  var spare: MarkPart?
  var pad: Pad

  init(_ number: Int, text: String? = nil) {
    self.number = number
    mark = MarkPart(text: text, code: text.map { _ in number })
    pad = Pad(note: text.map { NotePart(word: $0) })
  }
}

@MainActor
@Suite("Members of structures that are unwrapped by force", .timeLimit(.minutes(20)))
struct ForcedMemberTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try memoryContainer(Marked.self)
    context = ModelContext(container)
    let texts = ["b", "a", nil, "b"]
    for (number, text) in texts.enumerated() {
      let marked = Marked(number, text: text)
      if number > 0 { marked.spare = marked.mark }
      context.insert(marked)
    }
    try context.save()
  }

  private func sections(
    _ title: KeyPath<Marked, String>, in context: ModelContext
  ) throws -> [String: [Int]] {
    let observer = try ResultsObserver<Marked, String>(
      sortBy: [SortDescriptor(\.number)], sectionBy: title, modelContext: context)
    let sections = try #require(observer.sections)
    let pairs = sections.map { ($0.id, $0.map(\.number).filter { $0 >= 0 }) }
    return Dictionary(pairs, uniquingKeysWith: +)
  }

  @Test("name sections, with and without unsaved changes")
  func titles() throws {
    for _ in 0..<2 {
      #expect(try sections(\.mark.text!, in: context) == ["": [2], "a": [1], "b": [0, 3]])
      #expect(try sections(\.pad.note!.word!, in: context) == ["": [2], "a": [1], "b": [0, 3]])
      #expect(try sections(\.spare!.text!, in: context) == ["": [0, 2], "a": [1], "b": [3]])
      context.insert(Marked(-1))
    }
  }

  @Test("name no sections where they are computed")
  func computedTitles() throws {
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try sections(\.mark.halved!.description, in: context)
    }
  }

  @Test("are sorted by, with nil first, with and without unsaved changes")
  func order() throws {
    func numbers(_ descriptor: SortDescriptor<Marked>) throws -> [Int] {
      try context.fetch(FetchDescriptor(sortBy: [descriptor, SortDescriptor(\.number)]))
        .map(\.number).filter { $0 >= 0 }
    }
    for _ in 0..<2 {
      #expect(try numbers(SortDescriptor(\.mark.text!)) == [2, 1, 0, 3])
      #expect(try numbers(SortDescriptor(\.mark.text!, order: .reverse)) == [0, 3, 1, 2])
      #expect(try numbers(SortDescriptor(\.mark.code!)) == [2, 0, 1, 3])
      #expect(try numbers(SortDescriptor(\.pad.note!.word!)) == [2, 1, 0, 3])
      #expect(try numbers(SortDescriptor(\.spare!.text!)) == [0, 2, 1, 3])
      context.insert(Marked(-1))
    }
  }

  @Test("may be unwrapped twice, with nil at each level first")
  func twice() throws {
    let all = try context.fetch(FetchDescriptor<Marked>(sortBy: [SortDescriptor(\.number)]))
    let counts: [Int??] = [.some(.none), 5, .none, 4]
    for (marked, count) in zip(all, counts) { marked.pair.count = count }
    for _ in 0..<2 {
      let sorted = try context.fetch(
        FetchDescriptor<Marked>(
          sortBy: [SortDescriptor(\.pair.count!!), SortDescriptor(\.number)]))
      #expect(sorted.map(\.number) == [0, 2, 3, 1])
      try context.save()
    }
  }

  @Test("name sections where the optional comes from an appended path with a question mark")
  func appended() throws {
    let all = try context.fetch(FetchDescriptor<Marked>(sortBy: [SortDescriptor(\.number)]))
    all[0].word = "w"
    all[1].mate = all[0]
    all[2].mate = all[3]
    let word = (\Marked.mate?.word).appending(path: \String?.self!)
    #expect(try sections(word, in: context) == ["": [0, 2, 3], "w": [1]])
  }

  @Test("are added up where they are there")
  func aggregates() throws {
    let present = #Predicate<Marked> { $0.number != 2 }
    #expect(try context.sum(of: \Marked.mark.code!, where: present) == 4)
    #expect(try context.minimum(of: \Marked.pad.note!.word!, where: present) == "a")
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.sum(of: \Marked.mark.code!)
    }
  }

  @Test("are set by batch updates where they are there")
  func batch() throws {
    let present = #Predicate<Marked> { $0.number != 2 }
    let all = try container.batchUpdate(Marked.self, where: present) {
      $0.set(\.mark.code!, to: 7)
    }
    #expect(all == 3)
    let second = #Predicate<Marked> { $0.number == 1 }
    let one = try container.batchUpdate(Marked.self, where: second) {
      $0.set(\.spare!.text!, to: "y")
    }
    #expect(one == 1)
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try container.batchUpdate(Marked.self) { $0.set(\.pad.note!.word!, to: "z") }
    }
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<Marked>(sortBy: [SortDescriptor(\.number)]))
    #expect(stored.map(\.mark.code) == [7, 7, nil, 7])
    #expect(stored.map(\.spare?.text) == [nil, "y", nil, "b"])
    #expect(stored.map(\.pad.note?.word) == ["b", "a", nil, "b"])
  }
}
