import Foundation
import Testing

@testable import quakes

@Suite("Waiting for messages", .timeLimit(.minutes(20)))
struct MailboxTests {
  private static func taken(_ numbers: inout [Int]) -> [Int]? {
    defer { numbers = [] }
    return numbers.isEmpty ? nil : numbers
  }

  @Test("Messages without a reader are kept and merged for the next one")
  func merges() async {
    let mailbox = Mailbox<[Int]>([])
    for number in 1...3 { mailbox.put { $0.append(number) } }
    #expect(await mailbox.next(Self.taken) == [1, 2, 3])
    let waiting = Task { await mailbox.next(Self.taken) }
    mailbox.put { $0.append(4) }
    #expect(await waiting.value == [4])
  }

  @Test("Nothing is lost between many writers and a reader")
  func many() async {
    let mailbox = Mailbox<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 { group.addTask { mailbox.put { $0.append(number) } } }
      var found: Set<Int> = []
      while found.count < 200, let some = await mailbox.next(Self.taken) { found.formUnion(some) }
      #expect(found.count == 200)
    }
  }

  @Test("A cancelled reader returns at once")
  func cancelled() async {
    let mailbox = Mailbox<[Int]>([])
    let waiting = Task { await mailbox.next(Self.taken) }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test("A planned time is only postponed, and an unplanned one stays unplanned")
  func plan() async throws {
    let plan = RefreshPlan()
    plan.putOff(.seconds(60))
    #expect(plan.date == nil)
    try await plan.wait()
    plan.set(.seconds(100))
    let date = try #require(plan.date)
    plan.putOff(.seconds(50))
    #expect(plan.date == date)
    plan.putOff(.seconds(200))
    #expect(try #require(plan.date) > date)
    let waiting = Task { try await plan.wait() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    plan.set(.zero)
    try await plan.wait()
  }
}
