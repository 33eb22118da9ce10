import SwiftData
import Testing

@Model
class Memo {
  #Index<Memo>(.rtree([\.x, \.y]))
  @Attribute(.unique) var code: String
  var x: Double
  var y: Double
  @Attribute(.spotlight) var title: String
  @Attribute(.allowsCloudEncryption) var secret: String
  @Attribute(.externalStorage) var body: Data

  init(code: String, x: Double, title: String, secret: String, body: Data) {
    self.code = code
    self.x = x
    y = x
    self.title = title
    self.secret = secret
    self.body = body
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@Model
final class SignedMemo: Memo {
  @Attribute(.allowsCloudEncryption) var signature: String
  @Attribute(.ephemeral) var isOpen = false
  @Attribute(.externalStorage) var seal: Data

  init(code: String, x: Double, signature: String, seal: Data) {
    self.signature = signature
    self.seal = seal
    super.init(code: code, x: x, title: "Signed paper", secret: "s", body: seal)
  }
}

@Suite(
  "Options of attributes hold for subclasses",
  .enabled(if: StoreKind.tested == .sqlite, "is about files"))
struct InheritedAttributeTests {
  @Test("values of both classes come back through either, and searches find both")
  func inheritance() throws {
    let store = try TemporaryStore()
    let key = EncryptionKey()
    func context() throws -> ModelContext {
      var configuration = ModelConfiguration(url: store.file)
      configuration.encryptionKey = key
      return ModelContext(
        try ModelContainer(for: Memo.self, SignedMemo.self, configurations: configuration))
    }
    let large = Data(repeating: 5, count: 130_000)
    let larger = Data(repeating: 6, count: 140_000)
    do {
      let context = try context()
      context.insert(Memo(code: "a", x: 1, title: "Plain paper", secret: "p", body: large))
      context.insert(SignedMemo(code: "b", x: 2, signature: "sig", seal: larger))
      try context.save()
    }
    let context = try context()
    let memos = try context.fetch(FetchDescriptor<Memo>(sortBy: [SortDescriptor(\.code)]))
    #expect(memos.map(\.secret) == ["p", "s"])
    #expect(memos.map(\.body) == [large, larger])
    let signed = try context.fetch(FetchDescriptor<SignedMemo>())
    #expect(signed.map(\.signature) == ["sig"])
    #expect(signed.map(\.seal) == [larger] && signed.map(\.isOpen) == [false])
    #expect(signed.first === memos.last)
    let near = FetchDescriptor<Memo>(predicate: #Predicate { $0.x > 0 && $0.y < 3 })
    #expect(try context.fetchCount(near) == 2)
    let paper = FetchDescriptor<SignedMemo>(
      predicate: #Predicate { $0.title.localizedStandardContains("PAPER") && $0.x > 1 && $0.y > 1 })
    #expect(try context.fetch(paper).map(\.code) == ["b"])
    signed.first?.signature = "other"
    signed.first?.seal = Data()
    try context.save()
    let again = try fetchSigned(ModelContext(context.container))
    #expect(again.map(\.signature) == ["other"] && again.map(\.seal) == [Data()])
    memos.forEach(context.delete)
    try context.save()
    let folder = store.folder.appending(path: ".test.store_SUPPORT/external")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  private func fetchSigned(_ context: ModelContext) throws -> [SignedMemo] {
    try context.fetch(FetchDescriptor<SignedMemo>())
  }
}
