import Foundation
import SwiftData
import SwiftDataSync
import TestSupport
import Testing

@Model final class Diary {
  @Attribute(.unique) var number: Int
  @Attribute(.externalStorage, .allowsCloudEncryption) var page: Data?

  init(_ number: Int, _ page: Data?) {
    self.number = number
    self.page = page
  }
}

@Suite struct EncryptedAttachmentTests {
  @Test func encryptedValuesAreNowhereInPlainText() async throws {
    try await withTemporaryFolder { folder in
      let models = [SyncedModel(Diary.self, key: \.number)]
      func container(_ name: String) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: folder.appending(path: name))
        configuration.encryptionKey = EncryptionKey(Data(repeating: 1, count: 32))
        return try ModelContainer(for: Diary.self, configurations: configuration)
      }
      let (client, served) = (try container("client.store"), try container("server.store"))
      let text = Data(String(repeating: "nobody may read this. ", count: 10_000).utf8)
      let context = ModelContext(client)
      context.insert(Diary(1, text))
      try context.save()
      let line = Porter(
        try SyncServer(served, models: models, rules: .everyoneSeesEverything), user: "ann")
      let engine = try SyncEngine(client, models: models, transport: line, timing: Fixture.timing)
      try await engine.sync()
      #expect(
        try ModelContext(served).fetch(FetchDescriptor<Diary>()).map(\.page) == [text])
      let edited = try #require(try context.fetch(FetchDescriptor<Diary>()).first)
      edited.page = Data(String(repeating: "nor this, ever. ", count: 20).utf8)
      try context.save()
      line.loseAnswer()
      await #expect(throws: SyncFailure.self) { try await engine.sync() }
      // Neither in the models' rows, nor in the bookkeeping: agreed values, a change in flight, a server's answers.
      for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        let content = try? Data(contentsOf: folder.appending(path: file))
        for secret in [text, edited.page ?? Data()] {
          let plain = secret.prefix(30)
          let coded = Data(secret.prefix(30).base64EncodedString().utf8)
          #expect(content?.range(of: plain) == nil, "\(file)")
          #expect(content?.range(of: coded) == nil, "\(file)")
        }
      }
      try await engine.sync()
      #expect(try await engine.unsynced().isEmpty)
      #expect(line.log.uploaded == 0)
      #expect(filesOnTheWay(in: folder) == [])
      let values = line.log.pushes.first?.first?.values
      #expect(values?["page"] == .text(text.base64EncodedString()))
    }
  }
}
