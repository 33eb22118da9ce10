import Foundation
import LandmarksKit
import SwiftData
import Testing

@testable import TestSupport
@testable import landmarks

@Suite("The device's store as the page's program sees it", .timeLimit(.minutes(20)))
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

  @Test("a store that was deleted under the program is told in words for its user")
  func deletedStore() async throws {
    let folder = try TemporaryFolder("landmarks")
    let file = folder.file("a.store")
    let store = try deviceStore(file)
    let source = try AppSource(
      store, server: #require(URL(string: "http://127.0.0.1:1")), token: alice)
    #expect(try source.status([]).message == nil)
    try FileManager.default.removeItem(at: file)
    let status = try source.status([])
    #expect(status.state == .paused)
    #expect(status.message?.contains("start Landmarks again") == true)
    let error = #expect(throws: LandmarksError.self) {
      try source.make(.favorite(landmarkID: 1002, true), key: nil)
    }
    #expect(error?.reason.contains("start Landmarks again") == true)
    #expect(error?.reason.contains("context") == false)
  }
}
