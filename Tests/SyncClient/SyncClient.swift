import Foundation
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import SyncServing

/// A client of `sync-service`: executes the commands in the lines of its input, and answers each with a line.
///
///     sync-client FILE PORT USER serverWins|clientWins
///
/// | line | |
/// |---|---|
/// | `put KEY TEXT` | creates an object or changes its text |
/// | `count KEY` | increments its number |
/// | `delete KEY` | deletes it |
/// | `sync` | sends and fetches all changes: `synced`, or `failed` with the reason |
/// | `list` | all objects, with the number of waiting edits, as JSON |
/// | `churn` | creates and changes objects, some with an attachment, and sends them, until it is killed |
@main
struct SyncClient {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let container: ModelContainer
  private let engine: SyncEngine
  private let user: String

  static func main() async {
    let words = CommandLine.arguments
    do {
      guard words.count == 5, let port = Int(words[2]),
        let policy = ["serverWins": SyncPolicy.serverWins, "clientWins": .clientWins][words[4]]
      else { throw Failure(description: "usage: sync-client FILE PORT USER serverWins|clientWins") }
      let client = try SyncClient(URL(filePath: words[1]), port, words[3], policy)
      while let line = readLine() { say(try await client.obey(line)) }
    } catch {
      FileHandle.standardError.write(Data("sync-client: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func say(_ text: String) {
    print(text)
    fflush(nil)
  }

  private init(_ file: URL, _ port: Int, _ user: String, _ policy: SyncPolicy) throws {
    self.user = user
    container = try Memo.container(file)
    guard let url = URL(string: "http://127.0.0.1:\(port)/sync") else {
      throw Failure(description: "\(port) isn't a port")
    }
    var timing = SyncTiming()
    timing.pullInterval = nil
    timing.maximumBatch = 3
    var attachments = SyncAttachmentLimits()
    attachments.portion = 20_000
    let token = MemoServer.token(of: user)
    engine = try SyncEngine(
      container, models: Memo.models(policy), transport: HTTPSyncTransport(url) { token },
      timing: timing, attachments: attachments)
  }

  private func obey(_ line: String) async throws -> String {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch (words.first, words.count) {
    case ("put", 3):
      try edit(words[1], orMake: words[2]) { $0.text = words[2] }
      return "saved"
    case ("count", 2):
      try edit(words[1]) { $0.count += 1 }
      return "saved"
    case ("delete", 2):
      let key = try Self.key(words[1])
      let context = ModelContext(container)
      try context.delete(model: Memo.self, where: #Predicate { $0.key == key })
      try context.save()
      return "saved"
    case ("sync", 1):
      do { try await engine.sync() } catch { return "failed \(error)" }
      return "synced"
    case ("list", 1): return try await list()
    case ("churn", 1): try await churn()
    default: break
    }
    throw Failure(description: "\(line): no such line")
  }

  private static func key(_ text: String) throws -> UUID {
    guard let key = UUID(uuidString: text) else {
      throw Failure(description: "\(text) isn't a UUID")
    }
    return key
  }

  private func edit(
    _ text: String, orMake made: String? = nil, _ body: (Memo) -> Void
  ) throws {
    let key = try Self.key(text)
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Memo>(predicate: #Predicate { $0.key == key }))
    if let memo = found.first {
      body(memo)
    } else if let made {
      context.insert(Memo(made, owner: user, key: key))
    } else {
      throw Failure(description: "there is no \(text)")
    }
    try context.save()
  }

  private func list() async throws -> String {
    struct Listed: Encodable {
      var waiting: Int
      var conflicts: Int
      var memos: [String: [String]]
    }
    let memos = try ModelContext(container).fetch(FetchDescriptor<Memo>())
    let listed = Listed(
      waiting: try await engine.pendingCount(), conflicts: try await engine.conflicts().count,
      memos: Dictionary(
        memos.map { memo in
          (
            memo.key.uuidString,
            [memo.text, "\(memo.count)"] + (memo.scan.map { [Self.tell($0)] } ?? [])
          )
        }, uniquingKeysWith: { $1 }))
    return String(decoding: try JSONEncoder().encode(listed), as: UTF8.self)
  }

  /// Returns a short summary of a scan: its size and a checksum that depends on the order of its bytes.
  private static func tell(_ scan: Data) -> String {
    let sum = scan.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
    return "\(scan.count) bytes, \(sum)"
  }

  /// Prints the saved keys and the start of each push.
  private func churn() async throws {
    let context = ModelContext(container)
    var number = try context.fetchCount(FetchDescriptor<Memo>())
    while true {
      number += 1
      let others = try context.fetch(
        FetchDescriptor<Memo>(sortBy: [SortDescriptor(\.count), SortDescriptor(\.key)]))
      for memo in others.prefix(4) { memo.count += 1 }
      let memo = Memo("number \(number)", owner: user)
      if number % 2 == 0 {
        memo.scan = Data((0..<90_000).map { UInt8(truncatingIfNeeded: $0 / 7 + number) })
      }
      context.insert(memo)
      try context.save()
      Self.say("saved \(memo.key.uuidString)")
      try await engine.sync()
    }
  }
}
