import SwiftData
import Testing

@Model
final class Draft {
  var title: String
  @Attribute(.ephemeral) var cursor = 7
  @Attribute(.ephemeral) var selection: String?
  @Attribute(.codable) var inner: Inner
  @Attribute(.codable) var number: Int?
  @Attribute(.codable) var colour: Colour
  @Attribute(hashModifier: "v2") var note: String

  init(title: String) {
    self.title = title
    inner = Inner(depth: 1, note: nil)
    colour = .red
    note = ""
  }
}

extension Schema.Attribute.Option {
  fileprivate static var hidden: Schema.Attribute.Option { .ephemeral }
  fileprivate static var sealed: Schema.Attribute.Option {
    .transformable(by: PaintTransformer.self)
  }
  fileprivate static var json: Schema.Attribute.Option { .codable }
  fileprivate static var key: Schema.Attribute.Option { .unique }
}

@Model
final class Hidden {
  @Attribute(.hidden) var value = 1
  var other = 2
  init() {}
}

@Model
final class HiddenText {
  @Attribute(.unique, .sealed) var token = ""
  init() {}
}

@Model
final class HiddenStructure {
  @Attribute(.sealed) var inner: Inner?
  init() {}
}

@Model
final class HiddenNumber {
  @Attribute(.json) var number: Int? = 1
  init() {}
}

/// Options under other names that change nothing about the code of a row.
@Model
final class Renamed {
  @Attribute(.key) var number = 1
  @Attribute(.json) var inner = Inner(depth: 2, note: nil)
  init() {}
}

@Suite("Options of attributes")
struct AttributeOptionTests {
  @Test(
    "an ephemeral value is tracked, has no column, and starts with its default in a fetched model")
  func ephemeral() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Draft.self))
    let draft = Draft(title: "a")
    context.insert(draft)
    draft.cursor = 40
    try context.save()
    #expect(draft.cursor == 40 && !draft.hasChanges)
    draft.cursor = 41
    draft.selection = "word"
    #expect(draft.hasChanges && context.changedModelsArray.count == 1)
    try context.save()
    #expect(!context.hasChanges)
    if StoreKind.tested == .sqlite {
      #expect(
        try store.value("SELECT group_concat(name) FROM pragma_table_info('Draft')")
          == "_id,title,inner,number,colour,note")
    }
    let fetched = try ModelContext(store.container(Draft.self)).fetch(FetchDescriptor<Draft>())
    #expect(fetched.map(\.cursor) == [7])
    #expect(fetched.map(\.selection) == [nil])
    _ = try context.fetch(FetchDescriptor<Draft>())
    #expect(draft.cursor == 41 && draft.selection == "word")
  }

  @Test("a rollback restores an ephemeral value")
  func ephemeralRollback() throws {
    let context = ModelContext(try memoryContainer(Draft.self))
    let draft = Draft(title: "a")
    context.insert(draft)
    draft.cursor = 40
    try context.save()
    draft.cursor = 41
    draft.cursor = 42
    draft.selection = "word"
    context.rollback()
    #expect(draft.cursor == 40 && draft.selection == nil)
    #expect(!draft.hasChanges && !context.hasChanges)
    draft.selection = "other"
    draft.title = "b"
    context.rollback()
    #expect(draft.cursor == 40 && draft.selection == nil && draft.title == "a")
    draft.cursor = 43
    try context.save()
    draft.title = "c"
    context.rollback()
    #expect(draft.cursor == 43 && draft.title == "a")
  }

  @Test("a predicate on an ephemeral value sees the models' own values")
  func ephemeralPredicate() throws {
    let context = ModelContext(try memoryContainer(Draft.self))
    let drafts = ["a", "b"].map { Draft(title: $0) }
    drafts.forEach(context.insert)
    try context.save()
    drafts[1].cursor = 9
    try context.save()
    let found = try context.fetch(FetchDescriptor<Draft>(predicate: #Predicate { $0.cursor > 8 }))
    #expect(found.map(\.title) == ["b"])
  }

  @Test(
    "an option under another name, which the macro would have to know, is refused",
    arguments: ["value", "token", "inner", "number"])
  func hiddenOption(property: String) {
    let model: any PersistentModel.Type =
      switch property {
      case "value": Hidden.self
      case "token": HiddenText.self
      case "inner": HiddenStructure.self
      default: HiddenNumber.self
      }
    #expect {
      _ = try memoryContainer(model)
    } throws: { error in
      let error = error as? SchemaError
      return error?.code == .misalignedRow && error?.property == property
    }
  }

  @Test("an option under another name works where the code of the row needn't know it")
  func renamedOption() throws {
    let container = try memoryContainer(Renamed.self)
    let context = ModelContext(container)
    for _ in 0..<2 {
      context.insert(Renamed())
      try context.save()
    }
    let fetched = try ModelContext(container).fetch(FetchDescriptor<Renamed>())
    #expect(fetched.map(\.inner) == [Inner(depth: 2, note: nil)])
  }

  @Test("a codable value of any type is one column of JSON")
  func codable() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Draft.self))
    let draft = Draft(title: "a")
    draft.number = 5
    context.insert(draft)
    context.insert(Draft(title: "b"))
    try context.save()
    #expect(
      try store.value(
        "SELECT \"inner\" || ' ' || number || colour FROM \"Draft\" WHERE title = 'a'")
        == "{\"depth\":1} 5\"red\"")
    let fetched = try ModelContext(store.container(Draft.self)).fetch(
      FetchDescriptor<Draft>(sortBy: [SortDescriptor(\.title)]))
    #expect(fetched.map(\.number) == [5, nil])
    #expect(fetched.map(\.inner) == [Inner(depth: 1, note: nil), Inner(depth: 1, note: nil)])
    #expect(fetched.map(\.colour) == [.red, .red])
    let five = FetchDescriptor<Draft>(predicate: #Predicate { $0.number == 5 })
    #expect(try context.fetch(five).map(\.title) == ["a"])
  }

  @Test("a hash modifier makes two versions of a schema differ, also after a save to a file")
  func hashModifier() throws {
    let store = try TemporaryStore()
    let schema = Schema([Draft.self])
    let note = try #require(schema.entity(for: Draft.self)?.attributesByName["note"])
    #expect(note.hashModifier == "v2")
    try schema.save(to: store.file)
    #expect(try Schema.load(from: store.file) == schema)
    note.hashModifier = "v3"
    #expect(try Schema.load(from: store.file) != schema)
  }
}
