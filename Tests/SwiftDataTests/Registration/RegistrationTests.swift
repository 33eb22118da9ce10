import Foundation
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

@Suite("A context finds its models and keeps none alive")
struct RegistrationTests {
  private func filled(_ count: Int) throws -> ModelContext {
    let container = try memoryContainer(Quake.self)
    try container.batchInsert((0..<count).lazy.map { Quake(code: "\($0)", magnitude: Double($0)) })
    return ModelContext(container)
  }

  @Test("a model that is in use is the one that is found")
  func oneInstanceWhileItIsHeld() throws {
    let context = try filled(3)
    let held = try context.fetch(FetchDescriptor<Quake>())
    for model in held {
      let registered: Quake? = context.registeredModel(for: model.persistentModelID)
      #expect(registered === model)
    }
    let again = try context.fetch(FetchDescriptor<Quake>())
    #expect(zip(again, held).allSatisfy { $0 === $1 })
  }

  @Test("unreferenced models are released, and created again with the row's values")
  func goneWhenNobodyHoldsThem() throws {
    let context = try filled(1_000)
    let identifiers = try context.fetch(FetchDescriptor<Quake>()).map(\.persistentModelID)
    for identifier in identifiers {
      let registered: Quake? = context.registeredModel(for: identifier)
      #expect(registered == nil)
    }
    #expect(try context.fetch(FetchDescriptor<Quake>()).map(\.magnitude).reduce(0, +) == 499_500)
  }

  @Test("a model that looks itself up while it is deallocated isn't revived")
  func askingWhileGoing() throws {
    let container = try memoryContainer(Leaver.self)
    let context = ModelContext(container)
    context.insert(Leaver(name: "a"))
    try context.save()
    let found = Mutex<[Bool]>([])
    var leaver = try context.fetch(FetchDescriptor<Leaver>()).first
    leaver?.onLeaving = { [unowned context] identifier in
      let registered: Leaver? = context.registeredModel(for: identifier)
      found.withLock { $0.append(registered != nil) }
    }
    leaver = nil
    #expect(found.withLock { $0 } == [false])
    #expect(try context.fetch(FetchDescriptor<Leaver>()).map(\.name) == ["a"])
  }

  @Test("other threads may release the last reference during a look-up")
  func lettingGoElsewhere() async throws {
    let context = try filled(64)
    let identifiers = try context.fetch(FetchDescriptor<Quake>()).map(\.persistentModelID)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<300 {
        // No other code uses these arrays; their tasks only release them.
        nonisolated(unsafe) var models: [Quake]? = try context.fetch(FetchDescriptor<Quake>())
        #expect(models?.count == 64)
        nonisolated(unsafe) let handed = models
        models = nil
        group.addTask { withExtendedLifetime(handed) {} }
        for identifier in identifiers {
          let registered: Quake? = context.registeredModel(for: identifier)
          if let registered { #expect(registered.persistentModelID == identifier) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try context.fetchCount(FetchDescriptor<Quake>()) == 64)
  }
}

/// A model that reports its release.
@Model
final class Leaver {
  var name: String
  @Transient var onLeaving: ((PersistentIdentifier) -> Void)?

  init(name: String) { self.name = name }

  deinit { onLeaving?(persistentModelID) }
}
