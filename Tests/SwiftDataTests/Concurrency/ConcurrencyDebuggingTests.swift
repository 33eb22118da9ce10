import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataCore

@Suite("Uses of a context outside its isolation are detected on request")
struct ConcurrencyDebuggingTests {
  /// Carries a value across actors without the compiler's check, as the programs do that need this
  /// debugging.
  struct Carried<Value>: @unchecked Sendable {
    let value: Value
  }

  final class Findings: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    var debugging: ConcurrencyDebugging {
      ConcurrencyDebugging { text in self.texts.withLock { $0.append(text) } }
    }
  }

  @ModelActor
  actor Worker {
    func debug(_ findings: Findings) { modelContext.debugging = findings.debugging }

    func work() throws -> Carried<(ModelContext, Quake)> {
      let quake = Quake(code: "a")
      modelContext.insert(quake)
      try modelContext.save()
      quake.magnitude = 2
      try modelContext.save()
      return Carried(value: (modelContext, quake))
    }

    func use(_ other: Carried<(ModelContext, Quake)>) {
      _ = try? other.value.0.fetchCount(FetchDescriptor<Quake>())
    }
  }

  private func elsewhere(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }

  @Test("a main context outside of the main actor")
  @MainActor func main() async throws {
    let findings = Findings()
    let container = try memoryContainer(Quake.self)
    let context = container.mainContext
    context.debugging = findings.debugging
    let quake = Quake(code: "a")
    context.insert(quake)
    try context.save()
    quake.magnitude = 1
    _ = try context.fetch(FetchDescriptor<Quake>())
    #expect(findings.all == [])
    try context.save()
    let carried = Carried(value: (context, quake))
    await elsewhere { carried.value.1.magnitude = 5 }
    #expect(findings.all.count == 1)
    await elsewhere { _ = try? carried.value.0.fetchCount(FetchDescriptor<Quake>()) }
    #expect(findings.all.count >= 2)
    #expect(findings.all.allSatisfy { $0.contains("main context") && $0.contains("main actor") })
  }

  @Test("the context of a model actor outside of the actor")
  func modelActor() async throws {
    let findings = Findings()
    let worker = Worker(modelContainer: try memoryContainer(Quake.self))
    await worker.debug(findings)
    let carried = try await worker.work()
    #expect(findings.all == [])
    await elsewhere { carried.value.1.magnitude = 5 }
    await elsewhere { _ = try? carried.value.0.fetchCount(FetchDescriptor<Quake>()) }
    #expect(findings.all.count >= 2)
    #expect(findings.all.allSatisfy { $0.contains("model actor") })
    // Work on another actor's queue is an error as well.
    let other = Worker(modelContainer: try memoryContainer(Quake.self))
    _ = try await other.work()
    let before = findings.all.count
    await other.use(carried)
    #expect(findings.all.count > before)
  }

  @Test("another context may move, but not be used by two threads at once")
  func two() async throws {
    let findings = Findings()
    let context = ModelContext(try memoryContainer(Quake.self))
    context.debugging = findings.debugging
    context.insert(Quake(code: "a"))
    let carried = Carried(value: context)
    await elsewhere { try? carried.value.save() }
    try context.enumerate(FetchDescriptor<Quake>()) { _ in }
    #expect(findings.all == [])
    // While this thread is in an operation, another thread changes a model.
    context.beginOperation()
    await elsewhere { carried.value.insert(Quake(code: "b")) }
    context.endOperation()
    #expect(findings.all.count >= 1)
    #expect(findings.all.allSatisfy { $0.contains("two threads") })
  }

  @Test("nothing is checked unless the environment requests it")
  func off() throws {
    try #require(ProcessInfo.processInfo.environment[ConcurrencyDebugging.variable] == nil)
    #expect(ModelContext(try memoryContainer(Quake.self)).debugging == nil)
  }
}
