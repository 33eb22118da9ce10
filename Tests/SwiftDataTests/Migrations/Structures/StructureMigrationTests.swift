import SwiftData
import SwiftDataSQL
import Testing

extension TemporaryStore {
  fileprivate func save(_ boxes: any PersistentModel...) throws {
    let type = try #require(boxes.first.map { Swift.type(of: $0) })
    let context = ModelContext(try container(type))
    for box in boxes { context.insert(box) }
    try context.save()
  }

  /// Returns the structures of all boxes, in the order of their numbers.
  fileprivate func structures<Box: PersistentModel, Structure>(
    of type: Box.Type, key: EncryptionKey? = nil, _ read: (Box) -> (number: Int, value: Structure)
  ) throws -> [Structure] {
    let context = ModelContext(try container(type, encryptionKey: key))
    return try context.fetch(FetchDescriptor<Box>()).map(read).sorted { $0.number < $1.number }
      .map(\.value)
  }

  fileprivate func expectRefusal(
    of type: any PersistentModel.Type, rows: Int, _ text: String
  ) {
    #expect {
      _ = try self.container(type)
    } throws: { error in
      guard let error = error as? MigrationError else { return false }
      return error.code == .missingValue && error.entity == "Box" && error.property == "s"
        && error.rowCount == rows && error.description.contains(text)
    }
  }
}

@Suite("Structures that may be nil migrate with their members")
struct StructureMigrationTests {
  private typealias Forms = BoxForms

  @Test("an added member that can't be nil is refused for structures without a value for it")
  func addedMember() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfWidth.Box(1, .init(w: 1)), Forms.OfWidth.Box(2))
    store.expectRefusal(of: Forms.OfSize.Box.self, rows: 1, "Box.s.h can't be nil")
    #expect(try store.structures(of: Forms.OfWidth.Box.self) { ($0.n, $0.s?.w) } == [1, nil])
  }

  @Test("an added member that can't be nil is taken where no row has a structure")
  func addedMemberWithoutRows() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfWidth.Box(1))
    #expect(try store.structures(of: Forms.OfSize.Box.self) { ($0.n, $0.s) } == [nil])
  }

  @Test("an added member gets its default in rows with a structure, and no other row gets one")
  func addedMemberWithDefault() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfWidth.Box(1, .init(w: 1)), Forms.OfWidth.Box(2))
    #expect(
      try store.structures(of: Forms.OfSizeByDefault.Box.self) { ($0.n, $0.s) }
        == [Forms.Size(w: 1, h: 6), nil])
    #expect(try store.value("SELECT count(*) FROM \"Box\" WHERE s_h IS NOT NULL") == "1")
  }

  @Test("a member that can't be nil any more is refused for structures without it")
  func requiredMember() throws {
    let store = try TemporaryStore()
    try store.save(
      Forms.OfLoose.Box(1, .init(w: 1)), Forms.OfLoose.Box(2, .init()), Forms.OfLoose.Box(3))
    store.expectRefusal(of: Forms.OfWidth.Box.self, rows: 1, "Box.s.w can't be nil")
    #expect(
      try store.structures(of: Forms.OfWidthByDefault.Box.self) { ($0.n, $0.s?.w) } == [1, 5, nil])
  }

  @Test("a member that can't be nil any more is taken where every structure has it")
  func requiredMemberThatIsThere() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfLoose.Box(1, .init(w: 1)), Forms.OfLoose.Box(2))
    #expect(try store.structures(of: Forms.OfWidth.Box.self) { ($0.n, $0.s?.w) } == [1, nil])
    // And back.
    #expect(
      try store.structures(of: Forms.OfLoose.Box.self) { ($0.n, $0.s) } == [.init(w: 1), nil])
  }

  @Test("a member isn't overlooked when its structure becomes optional at the same time")
  func requiredMemberOfRelaxed() throws {
    let store = try TemporaryStore()
    try store.save(Forms.RequiredLoose.Box(1, .init(w: 1)), Forms.RequiredLoose.Box(2, .init()))
    store.expectRefusal(of: Forms.OfWidth.Box.self, rows: 1, "Box.s.w can't be nil")
    #expect(
      try store.structures(of: Forms.OfWidthByDefault.Box.self) { ($0.n, $0.s?.w) } == [1, 5])
  }

  @Test("a structure that can't be nil any more gets its whole default")
  func wholeDefault() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfHalf.Box(1), Forms.OfHalf.Box(2, .init(w: nil, h: 7)))
    #expect(
      try store.structures(of: Forms.NeverNilHalf.Box.self) { ($0.n, $0.s) }
        == [.init(w: 1, h: 2), .init(w: nil, h: 7)])
    let free = try TemporaryStore()
    try free.save(Forms.OfFree.Box(1), Forms.OfFree.Box(2, .init(w: nil, h: 7)))
    #expect(
      try free.structures(of: Forms.NeverNilFree.Box.self) { ($0.n, $0.s) }
        == [.init(w: 1, h: nil), .init(w: nil, h: 7)])
  }

  @Test("a structure that can't be nil any more is refused without a default")
  func refusedStructure() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfFree.Box(1), Forms.OfFree.Box(2, .init(w: 3, h: nil)))
    store.expectRefusal(of: Forms.RequiredFree.Box.self, rows: 1, "Box.s can't be nil any more")
    let filled = try TemporaryStore()
    try filled.save(Forms.OfFree.Box(2, .init()))
    #expect(
      try filled.structures(of: Forms.RequiredFree.Box.self) { ($0.n, $0.s) } == [.init()])
  }

  // MARK: - Encryption

  private static let key = EncryptionKey(Data(repeating: 7, count: 32))

  @Test(
    "a structure is encrypted with the knowledge that it is there, and decrypted",
    .enabled(if: StoreKind.tested == .sqlite, "servers refuse the change"))
  func encryption() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfWidth.Box(1, .init(w: 1)), Forms.OfWidth.Box(2))
    for _ in 0..<2 {
      #expect(
        try store.structures(of: Forms.Sealed.Box.self, key: Self.key) { ($0.n, $0.s?.w) }
          == [1, nil])
      #expect(
        try store.structures(of: Forms.OfWidth.Box.self, key: Self.key) { ($0.n, $0.s?.w) }
          == [1, nil])
    }
    #expect(
      try store.structures(of: Forms.Sealed.Box.self, key: Self.key) { ($0.n, $0.s?.w) }
        == [1, nil])
  }

  @Test(
    "an encrypted structure becomes optional",
    .enabled(if: StoreKind.tested == .sqlite, "servers refuse the change"))
  func encryptedAndRelaxed() throws {
    let store = try TemporaryStore()
    do {
      let container = try store.container(Forms.SealedAlways.Box.self, encryptionKey: Self.key)
      let context = ModelContext(container)
      context.insert(Forms.SealedAlways.Box(1, .init(w: 1)))
      try context.save()
    }
    #expect(
      try store.structures(of: Forms.Sealed.Box.self, key: Self.key) { ($0.n, $0.s?.w) } == [1])
  }

  @Test(
    "defaults of values that are encrypted at the same time can be read",
    .enabled(if: StoreKind.tested == .sqlite, "servers refuse the change"))
  func encryptedDefault() throws {
    let store = try TemporaryStore()
    try store.save(Forms.OfSize.Box(1), Forms.OfSize.Box(2, .init(w: 1, h: 2)))
    #expect(
      try store.structures(of: Forms.SealedWithDefault.Box.self, key: Self.key) { ($0.n, $0.s) }
        == [.init(w: 3, h: 4), .init(w: 1, h: 2)])
  }
}

@Suite(
  "Structures in stores of earlier versions of the library, which don't tell their required members",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct FormerStructureTests {
  private typealias Forms = BoxForms

  private static let hashes = "SELECT value FROM _metadata WHERE key = 'schema.hashes'"

  /// A store with one structure that lacks its member, as an earlier version of the library would leave it.
  private func formerStore() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.save(Forms.OfLoose.Box(1, .init(w: 1)), Forms.OfLoose.Box(2, .init()))
    let plans = try EntityPlan.plans(of: [Forms.OfLoose.Box.self])
    let plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    let forms = EntityForms(
      SchemaDescription(
        plans, plansByType: plansByType, version: nil, dialect: SQLiteDialect()))
    let present = try #require(forms.hashes["Box"])
    let former = try #require(forms.allHashes["Box"]?.subtracting([present]).first)
    try store.execute("DELETE FROM _metadata WHERE key = 'schema.forms'")
    try store.execute("UPDATE _metadata SET value = 'Box \(former)' WHERE key = 'schema.hashes'")
    try store.execute(
      "UPDATE _metadata SET value = replace(value, '\"isRequiredMember\":false,', '')"
        + " WHERE key = 'schema'")
    try #require(
      try store.value(
        "SELECT count(*) FROM _metadata WHERE key = 'schema' AND value LIKE '%RequiredMember%'")
        == "0")
    return store
  }

  @Test("are opened without a migration")
  func unchanged() throws {
    let store = try formerStore()
    let before = try store.value(Self.hashes)
    #expect(try store.structures(of: Forms.OfLoose.Box.self) { ($0.n, $0.s?.w) } == [1, nil])
    #expect(try store.value(Self.hashes) == before)
    #expect(try store.value("SELECT count(*) FROM _metadata WHERE key = 'schema.forms'") == "0")
  }

  @Test("are found among the versions of a plan, and described anew by a migration")
  func plan() throws {
    let store = try formerStore()
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: Forms.V2.self), migrationPlan: Forms.Plan.self,
        configurations: [ModelConfiguration(url: store.file)])
      let count = try ModelContext(container).fetchCount(FetchDescriptor<Forms.NotedLoose.Box>())
      #expect(count == 2)
    }
    #expect {
      _ = try store.container(
        for: Schema([Forms.NotedWidth.Box.self], version: Schema.Version(2, 0, 0)))
    } throws: { error in
      (error as? MigrationError)?.code == .missingValue
    }
  }

  @Test("are checked when their entity migrates")
  func checked() throws {
    let store = try formerStore()
    store.expectRefusal(of: Forms.NotedWidth.Box.self, rows: 1, "Box.s.w can't be nil")
    #expect(try store.structures(of: Forms.NotedLoose.Box.self) { ($0.n, $0.s?.w) } == [1, nil])
  }

  private func open(_ store: TemporaryStore, _ plan: (any SchemaMigrationPlan.Type)?) throws {
    _ = try ModelContainer(
      for: Schema([Forms.OfWidth.Box.self], version: Schema.Version(2, 0, 0)), migrationPlan: plan,
      configurations: [ModelConfiguration(url: store.file)])
  }

  @Test("are checked when a newer version requires a member, and nothing else changes")
  func onlyRequired() throws {
    let store = try formerStore()
    for plan in [Forms.WidthPlan.self, nil] as [(any SchemaMigrationPlan.Type)?] {
      #expect {
        try open(store, plan)
      } throws: { error in
        let error = error as? MigrationError
        return error?.code == .missingValue && error?.rowCount == 1
      }
    }
    #expect(try store.structures(of: Forms.OfLoose.Box.self) { ($0.n, $0.s?.w) } == [1, nil])
  }

  @Test("are described anew when a newer version requires a member that all have")
  func onlyRequiredAndThere() throws {
    for plan in [Forms.WidthPlan.self, nil] as [(any SchemaMigrationPlan.Type)?] {
      let store = try formerStore()
      try store.execute("DELETE FROM Box WHERE n = 2")
      try open(store, plan)
      #expect(
        try store.value(
          "SELECT count(*) FROM _metadata WHERE key = 'schema'"
            + " AND value LIKE '%\"isRequiredMember\":true%'") == "1")
      #expect(
        try store.value("SELECT count(*) FROM _metadata WHERE key = 'schema.forms'") == "1")
    }
  }
}
