import Foundation
import SwiftData
import SwiftDataSync

/// A memo of a user of the server; each user sees only their own memos.
@Model
public final class Memo {
  @Attribute(.unique) public var key: UUID
  public var text: String
  public var owner: String
  public var count: Int
  @Attribute(.externalStorage) public var scan: Data?

  public init(_ text: String, owner: String, key: UUID = UUID()) {
    self.key = key
    self.text = text
    self.owner = owner
    count = 0
  }

  /// - Parameter policy: The policy for a client's conflicts.
  public static func models(_ policy: SyncPolicy = .serverWins) -> [SyncedModel] {
    [SyncedModel(Memo.self, key: \.key, policy: policy)]
  }

  /// - Parameter file: The file of the store; nil for one in memory.
  public static func container(_ file: URL? = nil) throws -> ModelContainer {
    let schema = Schema([Memo.self])
    let configuration =
      file.map { ModelConfiguration(schema: schema, url: $0) }
      ?? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }
}
