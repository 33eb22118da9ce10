import Foundation
import SwiftData
import SwiftDataSync

/// Something to do, the same class on devices and on the server.
@Model
public final class Todo {
  /// Made by the device, and never changed.
  @Attribute(.unique) public var key: UUID
  public var text: String
  public var isDone: Bool
  public var owner: String

  public init(_ text: String, owner: String) {
    key = UUID()
    self.text = text
    isDone = false
    self.owner = owner
  }

  public static let synced = [SyncedModel(Todo.self, key: \.key, policy: .serverWins)]

  public static func container(_ file: String) throws -> ModelContainer {
    try ModelContainer(
      for: Todo.self, configurations: ModelConfiguration(url: URL(filePath: file)))
  }
}
