import Foundation
import LandmarksKit
import SwiftData
import Testing

@testable import landmarks

@Suite("The device's store as the page's program sees it", .timeLimit(.minutes(5)))
struct AppSourceTests {
  @Test("changes are followed further after their history was deleted unread")
  func deletedHistory() async throws {
    let store = try deviceStore()
    let source = try AppSource(
      store, server: #require(URL(string: "http://127.0.0.1:1")), token: nil)
    let seen = try #require(try store.container.currentHistoryToken())
    try store.setFavorite(1002, true)
    try ModelContext(store.container).deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    let following = Task { await source.followStore(after: seen) }
    defer { following.cancel() }
    var changes = source.pageChanges.makeAsyncIterator()
    // The deleted transaction is reported as a change.
    #expect(await changes.next() != nil)
    try store.setFavorite(1003, true)
    #expect(await changes.next() != nil)
    following.cancel()
    await following.value
  }
}
