import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing

@Suite("The contexts that sync writes with")
struct WritingContextTests {
  /// The contexts that saved to a container, held weakly.
  private final class Saves: Sendable {
    private struct Weak: @unchecked Sendable { weak var context: ModelContext? }
    private let contexts = Mutex<[Weak]>([])

    func note(_ context: ModelContext) {
      contexts.withLock { $0.append(Weak(context: context)) }
    }

    var count: Int { contexts.withLock { $0.count } }
    var alive: Int { contexts.withLock { $0.count { $0.context != nil } } }
  }

  @Test("go when they have written, on the device and on the server")
  func release() async throws {
    let saves = Saves()
    let store = try Fixture.container()
    let server = try SyncServer(store, models: Fixture.models(), rules: .everyoneSeesEverything)
    let (ann, bob) = (try Client(server), try Client(server))
    let containers = [store, bob.container]
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: nil, queue: nil
    ) { notification in
      guard let context = notification.object as? ModelContext,
        containers.contains(context.container)
      else { return }
      saves.note(context)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    for guests in 1...3 {
      try ann.edit { context in
        let park = try context.fetch(FetchDescriptor<Park>()).first ?? Park(number: 1, name: "a")
        context.insert(Booking(park: park, guests: guests))
      }
      try await ann.engine.sync()
      try await bob.engine.sync()
    }
    #expect(saves.count >= 6)
    #expect(saves.alive == 0)
  }
}
