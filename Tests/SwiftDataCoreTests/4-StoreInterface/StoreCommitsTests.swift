import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SwiftDataCore

@Suite("Subscriptions to a store's commits") struct StoreCommitsTests {
  @Test("The work before the first one is over when any other one begins") func start() {
    let commits = StoreCommits()
    let isOver = Atomic<Bool>(false)
    let seen = Mutex<[String: Bool]>([:])
    let arrived = DispatchSemaphore(value: 0)
    let subscribed = DispatchSemaphore(value: 0)
    commits.onFirstSubscription {
      Thread.detachNewThread {
        let isFree = commits.starting.try()
        if isFree { commits.starting.unlock() }
        arrived.signal()
        let subscription = commits.subscribe { _ in }
        let wasOver = isOver.load(ordering: .acquiring)
        seen.withLock { $0 = ["free": isFree, "over": wasOver] }
        withExtendedLifetime(subscription) {}
        subscribed.signal()
      }
      arrived.wait()
      isOver.store(true, ordering: .releasing)
    }
    let subscription = commits.subscribe { _ in }
    subscribed.wait()
    #expect(seen.withLock { $0 } == ["free": false, "over": true])
    withExtendedLifetime(subscription) {}
  }

  @Test("The work is done once, and may subscribe itself") func recursion() {
    let commits = StoreCommits()
    let posted = Mutex<[String]>([])
    let made = Mutex<[StoreCommits.Subscription]>([])
    commits.onFirstSubscription {
      let inner = commits.subscribe { _ in posted.withLock { $0.append("inner") } }
      made.withLock { $0.append(inner) }
    }
    for name in ["first", "second"] {
      let subscription = commits.subscribe { _ in posted.withLock { $0.append(name) } }
      made.withLock { $0.append(subscription) }
    }
    commits.post(StoreCommit(storeIdentifier: "store", entities: nil, author: nil))
    #expect(posted.withLock { $0.sorted() } == ["first", "inner", "second"])
    made.withLock { $0 = [] }
  }
}
