import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// Objects that were deleted and made again as they were, which is no edit, and are deleted later.
@Suite struct SettledObjectTests {
  /// - Parameter isRefused: Whether the server refuses the object.
  @Test(arguments: [false, true]) func aDeletionIsSentAfterOneThatWasUndone(
    isRefused: Bool
  ) async throws {
    var rules = SyncServerRules.everyoneSeesEverything
    if isRefused {
      rules.validate = { _, change in
        change.values?["name"] == .text("refused")
          ? SyncRejection(code: "refused", message: "") : nil
      }
    }
    let there = try Fixture.container()
    let server = try SyncServer(there, models: Fixture.models(), rules: rules)
    let client = try Client(server)
    func insert() throws {
      try client.edit { context in
        context.insert(Park(number: 1, name: isRefused ? "refused" : "a"))
      }
    }
    func delete() throws { try client.edit { try $0.delete(model: Park.self) } }
    try insert()
    try await client.engine.sync()
    try delete()
    try insert()
    try await client.engine.sync()
    #expect(client.line.pushes.count == 1)
    #expect(try client.parks().count == 1)
    try delete()
    try await client.engine.sync()
    #expect(try ModelContext(there).fetchCount(FetchDescriptor<Park>()) == 0)
    #expect(try await client.engine.unsynced().isEmpty)
    #expect(client.engine.status.state.quarantinedCount == 0)
  }
}
