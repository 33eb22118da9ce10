import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@Model
private final class UniquePass {
  @Attribute(.unique) var code: String
  @Attribute(.unique) var number: Int?
  var title: String

  init(_ code: String, _ number: Int? = nil, title: String = "") {
    self.code = code
    self.number = number
    self.title = title
  }
}

@Model
private final class UniqueCount {
  @Attribute(.unique) var number: Int

  init(_ number: Int) { self.number = number }
}

@Model
private final class UniqueChair {
  #Unique<UniqueChair>([\.row, \.place])
  var row: String
  var place: Int
  var guest: UniqueSitter?

  init(_ row: String, _ place: Int) {
    self.row = row
    self.place = place
  }
}

@Model
private final class UniqueSitter {
  @Attribute(.unique) var name: String
  var seat: UniqueChair?

  init(_ name: String) { self.name = name }
}

/// A column of every kind that may be unique.
@Model
private final class UniqueMixed {
  @Attribute(.unique) var whole: Int
  @Attribute(.unique) var real: Double
  @Attribute(.unique) var text: String
  @Attribute(.unique) var bytes: Data
  @Attribute(.unique) var uuid: UUID
  @Attribute(.unique) var date: Date
  @Attribute(.unique) var decimal: Decimal
  @Attribute(.unique) var flag: Bool?
  @Attribute(.unique) var url: URL?
  @Attribute(.unique) var big: UInt64

  init(_ n: Int) {
    whole = n
    real = Double(n) + 0.5
    text = "text \(n)"
    bytes = Data([UInt8(n)])
    uuid = UUID(uuid: (UInt8(n), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    date = Date(timeIntervalSinceReferenceDate: Double(n))
    decimal = Decimal(n)
    flag = n == 0
    url = URL(string: "https://example.org/\(n)")
    big = UInt64.max - UInt64(n)
  }

  func exchange(with other: UniqueMixed) {
    (whole, other.whole) = (other.whole, whole)
    (real, other.real) = (other.real, real)
    (text, other.text) = (other.text, text)
    (bytes, other.bytes) = (other.bytes, bytes)
    (uuid, other.uuid) = (other.uuid, uuid)
    (date, other.date) = (other.date, date)
    (decimal, other.decimal) = (other.decimal, decimal)
    (flag, other.flag) = (other.flag, flag)
    (url, other.url) = (other.url, url)
    (big, other.big) = (other.big, big)
  }
}

@Suite("Unique values")
struct UniqueValueTests {
  /// Lists of texts that are equal in Swift.
  static let forms: [[String]] = [
    ["caf\u{E9}", "cafe\u{301}"],
    ["\u{212B}ngstr\u{F6}m", "\u{C5}ngstro\u{308}m", "A\u{30A}ngstr\u{F6}m"],
    ["\u{1E69}", "s\u{323}\u{307}", "s\u{307}\u{323}"],
    ["\u{AC01}", "\u{1100}\u{1161}\u{11A8}", "\u{AC00}\u{11A8}"],
    ["\u{212A}elvin", "Kelvin"], ["\u{37E}", ";"], ["\u{304C}", "\u{304B}\u{3099}"],
    ["\u{F900}", "\u{8C48}"], ["\u{0439}", "\u{0438}\u{306}"], ["\u{1D15E}", "\u{1D157}\u{1D165}"],
    ["\u{0958}", "\u{0915}\u{093C}"],
  ]

  @Test("texts that Swift finds equal are one value, however they are written", arguments: forms)
  func equalTexts(_ forms: [String]) throws {
    let container = try memoryContainer(UniquePass.self)
    for (number, form) in forms.enumerated() {
      #expect(form == forms[0])
      let context = ModelContext(container)
      context.insert(UniquePass(form, title: "\(number)"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<UniquePass>()) == 1)
      for other in forms {
        let found = FetchDescriptor<UniquePass>(predicate: #Predicate { $0.code == other })
        #expect(try context.fetch(found).map(\.title) == ["\(number)"])
      }
    }
    // One save, one batch and an edit of another row conflict as well.
    let context = ModelContext(container)
    for form in forms { context.insert(UniquePass(form, title: "together")) }
    try context.save()
    let batch = try BatchUpsert<UniquePass>(container)
    for form in forms { try batch.upsert(UniquePass(form, title: "batch")) }
    try batch.commit()
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<UniquePass>()).map(\.title) == ["batch"])
    for form in forms {
      let other = UniquePass("other")
      context.insert(other)
      try context.save()
      other.code = form
      #expect(throws: StoreError.self) { try context.save() }
      context.rollback()
    }
    for form in forms {
      #expect(throws: StoreError.self) {
        try container.batchUpdate(UniquePass.self, where: #Predicate { $0.code == "other" }) {
          $0.set(\.code, to: form)
        }
      }
      #expect(throws: StoreError.self) {
        try container.batchUpdate(UniquePass.self, where: #Predicate { $0.code == "other" }) {
          $0.set(\.code, to: #Expression { _ in form })
        }
      }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<UniquePass>()) == 2)
  }

  @Test("unique texts are stored composed, others unchanged, without conflicts")
  func storedForm() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(UniquePass.self))
    context.mergePolicy = .error
    let ticket = UniquePass("e\u{301}", title: "e\u{301}")
    context.insert(ticket)
    try context.save()
    func stored() throws -> [UInt8] {
      Array(try #require(try store.value("SELECT code || title FROM \"UniquePass\"")).utf8)
    }
    #expect(try stored() == [0xC3, 0xA9, 0x65, 0xCC, 0x81])
    ticket.title = "edited"
    try context.save()
    ticket.code = "o\u{308}"
    try context.save()
    ticket.title = "again"
    try context.save()
    #expect(try stored() == [0xC3, 0xB6] + "again".utf8)
  }

  @Test("texts that differ for Swift stay apart")
  func different() throws {
    let context = ModelContext(try memoryContainer(UniquePass.self))
    let texts = ["e", "é", "E", "ﬁ", "fi", "ｅ", "e\u{200D}", "ß", "ss", "①", "1", "", " "]
    for text in texts { context.insert(UniquePass(text)) }
    try context.save()
    #expect(Set(try context.fetch(FetchDescriptor<UniquePass>()).map(\.code)) == Set(texts))
  }

  // MARK: Values exchanged between rows

  private func tickets(_ count: Int, _ container: ModelContainer) throws -> (
    ModelContext, [UniquePass]
  ) {
    let context = ModelContext(container)
    let tickets = (0..<count).map { UniquePass("\($0)", $0, title: "title \($0)") }
    for ticket in tickets { context.insert(ticket) }
    try context.save()
    return (context, tickets)
  }

  private func codes(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(
      FetchDescriptor<UniquePass>(sortBy: [SortDescriptor(\.persistentModelID)])
    ).map(\.code)
  }

  @Test("two models exchange theirs in one save")
  func exchange() throws {
    let container = try memoryContainer(UniquePass.self)
    let (context, tickets) = try tickets(2, container)
    (tickets[0].code, tickets[1].code) = ("1", "0")
    (tickets[0].number, tickets[1].number) = (1, 0)
    try context.save()
    #expect(try codes(container) == ["1", "0"])
    #expect(!context.hasChanges)
    let changes = try #require(try context.history().last).summary
    #expect(Set(changes) == ["update UniquePass 1 code,number", "update UniquePass 2 code,number"])
    #expect(changes.count == 2)
  }

  @Test("all move by one, up or down or in a circle", arguments: [1, -1, 39])
  func shift(_ step: Int) throws {
    let store = try TemporaryStore()
    let container = try store.container(UniquePass.self)
    let (context, tickets) = try tickets(40, container)
    for (index, ticket) in tickets.enumerated() {
      ticket.code = step == 39 ? "\((index + 1) % 40)" : "\(index + step)"
      ticket.number = index + step
    }
    try context.save()
    #expect(
      try codes(container)
        == (0..<40).map { step == 39 ? "\(($0 + 1) % 40)" : "\($0 + step)" })
    guard StoreKind.tested == .sqlite else { return }
    #expect(
      try store.value("SELECT group_concat(typeof(number)) FROM UniquePass GROUP BY typeof(number)")
        == Array(repeating: "integer", count: 40).joined(separator: ","))
  }

  @Test("every kind of value passes from row to row")
  func kinds() throws {
    let container = try memoryContainer(UniqueMixed.self)
    let context = ModelContext(container)
    let (one, two) = (UniqueMixed(0), UniqueMixed(1))
    context.insert(one)
    context.insert(two)
    try context.save()
    one.exchange(with: two)
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<UniqueMixed>(sortBy: [SortDescriptor(\.persistentModelID)]))
    let expected = [UniqueMixed(1), UniqueMixed(0)]
    for (model, wanted) in zip(found, expected) {
      #expect(model.whole == wanted.whole && model.real == wanted.real && model.text == wanted.text)
      #expect(model.bytes == wanted.bytes && model.uuid == wanted.uuid && model.date == wanted.date)
      #expect(model.decimal == wanted.decimal && model.flag == wanted.flag)
      #expect(model.url == wanted.url && model.big == wanted.big)
    }
  }

  @Test("pairs of values pass from row to row")
  func pairs() throws {
    let container = try memoryContainer(UniqueChair.self, UniqueSitter.self)
    let context = ModelContext(container)
    let seats = [UniqueChair("a", 1), UniqueChair("a", 2), UniqueChair("b", 1)]
    for seat in seats { context.insert(seat) }
    try context.save()
    (seats[0].place, seats[1].place) = (2, 1)
    (seats[1].row, seats[2].row) = ("b", "a")
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<UniqueChair>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(found.map { "\($0.row)\($0.place)" } == ["a2", "b1", "a1"])
  }

  @Test("a row that stays keeps its value: the save is refused and can be mended")
  func taken() throws {
    let container = try memoryContainer(UniquePass.self)
    let (context, tickets) = try tickets(4, container)
    (tickets[0].code, tickets[1].code) = ("1", "2")
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(error?.code == .notUnique)
    #expect(try codes(container) == ["0", "1", "2", "3"])
    tickets[2].code = "0"
    try context.save()
    #expect(try codes(container) == ["1", "2", "0", "3"])
    // Two models with the same new value.
    tickets[0].code = "new"
    tickets[1].code = "new"
    #expect(throws: StoreError.self) { try context.save() }
  }

  @Test("a new model takes a value that another one gives up in the same save")
  func handedToNew() throws {
    let container = try memoryContainer(UniqueChair.self, UniqueSitter.self)
    let context = ModelContext(container)
    let (first, second) = (UniqueSitter("first"), UniqueSitter("second"))
    let seat = UniqueChair("a", 1)
    for guest in [first, second] { context.insert(guest) }
    context.insert(seat)
    try context.save()
    // The seat, which was created after the guests, refers to the new guest; the seat is updated
    // first.
    let new = UniqueSitter("first")
    seat.guest = new
    first.name = "second"
    second.name = "third"
    try context.save()
    let stored = ModelContext(container)
    #expect(try stored.fetchCount(FetchDescriptor<UniqueSitter>()) == 3)
    #expect(try stored.fetch(FetchDescriptor<UniqueChair>()).first?.guest?.name == "first")
    #expect(new.persistentModelID != first.persistentModelID)
    #expect(first.name == "second" && second.name == "third")
  }

  @Test("a deletion frees a value for an edit of the same save")
  func freed() throws {
    let container = try memoryContainer(UniquePass.self)
    let (context, tickets) = try tickets(3, container)
    context.delete(tickets[0])
    tickets[1].code = "0"
    tickets[2].code = "1"
    try context.save()
    #expect(try codes(container) == ["0", "1"])
  }

  @Test("a deletion frees a value for a new model of the same save")
  func freedForNew() throws {
    let container = try memoryContainer(UniquePass.self)
    let (context, tickets) = try tickets(2, container)
    let gone = tickets[0].persistentModelID
    context.delete(tickets[0])
    let new = UniquePass("0", 0, title: "new")
    context.insert(new)
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<UniquePass>(sortBy: [SortDescriptor(\.code)]))
    #expect(stored.map(\.title) == ["new", "title 1"])
    #expect(stored.first?.persistentModelID == new.persistentModelID)
    #expect(new.persistentModelID != gone)
  }

  @Test("new models of one save are compared with what those before them have left")
  func chain() throws {
    let container = try memoryContainer(UniquePass.self)
    let (context, tickets) = try tickets(1, container)
    // The stored row gives up its number, and then its code.
    let models = [UniquePass("0", 7), UniquePass("new", 0), UniquePass("last", 7)]
    for model in models { context.insert(model) }
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<UniquePass>(sortBy: [SortDescriptor(\.code)]))
    #expect(stored.map(\.code) == ["last", "new"])
    #expect(stored.map(\.number) == [7, 0])
    #expect(stored.first?.persistentModelID == tickets[0].persistentModelID)
    #expect(models[1].persistentModelID == stored.last?.persistentModelID)
  }

  @Test("a new model gets the row of one that takes its value in the same save")
  func takenByEdit() throws {
    let container = try memoryContainer(UniquePass.self)
    let (context, tickets) = try tickets(1, container)
    tickets[0].code = "x"
    context.insert(UniquePass("x", 5, title: "merged"))
    context.insert(UniquePass("0", 6, title: "other"))
    try context.save()
    let stored = try ModelContext(container).fetch(
      FetchDescriptor<UniquePass>(sortBy: [SortDescriptor(\.code)]))
    #expect(stored.map(\.title) == ["other", "merged"])
    #expect(stored.last?.persistentModelID == tickets[0].persistentModelID)
  }

  private func counts(_ count: Int) throws -> (ModelContext, ModelContainer) {
    let container = try memoryContainer(UniqueCount.self)
    let context = ModelContext(container)
    for number in 0..<count { context.insert(UniqueCount(number)) }
    try context.save()
    return (context, container)
  }

  @Test("a batch moves unique values by one", arguments: [1, -1])
  func batch(_ step: Int) throws {
    let (context, container) = try counts(40)
    try container.batchDelete(UniqueCount.self, where: #Predicate { $0.number == 4 })
    let count = try container.batchUpdate(UniqueCount.self, where: #Predicate { $0.number > 4 }) {
      $0.set(\.number, to: #Expression { $0.number + step })
    }
    #expect(count == 35)
    let numbers = try ModelContext(container).fetch(FetchDescriptor<UniqueCount>()).map(\.number)
    #expect(numbers.sorted() == Array(0...3) + (5...39).map { $0 + step })
    let changes = try #require(try context.history().last).summary
    #expect(changes.count == 35)
    #expect(changes.allSatisfy { $0.hasSuffix(" number") })
  }

  @Test("a batch that assigns taken values is refused, and nothing has changed")
  func refusedBatch() throws {
    let (context, container) = try counts(10)
    let transactions = try context.history().count
    let error = #expect(throws: StoreError.self) {
      try container.batchUpdate(UniqueCount.self, where: #Predicate { $0.number < 5 }) {
        $0.set(\.number, to: #Expression { $0.number + 1 })
      }
    }
    #expect(error?.code == .notUnique)
    let numbers = try ModelContext(container).fetch(FetchDescriptor<UniqueCount>()).map(\.number)
    #expect(numbers.sorted() == Array(0..<10))
    #expect(try context.history().count == transactions)
    // The same connection still works.
    #expect(
      try container.batchUpdate(UniqueCount.self, where: #Predicate { $0.number >= 0 }) {
        $0.set(\.number, to: #Expression { $0.number + 1 })
      } == 10)
  }

  @Test(
    "a new model is stored that has the value of an edited one, whose row another context has deleted",
    arguments: [
      MergePolicy.deletionTrump, .propertyObjectTrump, .overwrite, .propertyStoreTrump, .rollback,
    ])
  func valueOfMissingRow(policy: MergePolicy) throws {
    let store = try TemporaryStore()
    let other = ModelContext(try store.container(Quake.self))
    let quake = Quake(code: "a")
    other.insert(quake)
    try other.save()
    let container = try store.container(Quake.self)
    let mine = ModelContext(container)
    mine.mergesChangesAutomatically = false
    mine.mergePolicy = policy
    let edited = try #require(try mine.fetch(FetchDescriptor<Quake>()).first)
    other.delete(quake)
    try other.save()
    edited.code = "b"
    mine.insert(Quake(code: "b", magnitude: 9))
    try mine.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    #expect(stored.map(\.code) == ["b"])
    #expect(stored.map(\.magnitude) == [9])
    #expect(edited.isDeleted == ![.propertyObjectTrump, .overwrite].contains(policy))
  }
}
