import Foundation
import SwiftData
import SwiftDataExtras
import Testing

@testable import LocalCopy
@testable import QuakesKit

/// Feeds whose addresses have a query, which may be a key. Nothing answers at these addresses.
@Suite("The query of a feed's address isn't kept", .timeLimit(.minutes(20)))
struct SecretAddressTests {
  private static let address = "http://127.0.0.1:1/all_day.geojson"
  private static let secret = address + "?key=the-secret"
  private static let date = Date(timeIntervalSinceReferenceDate: 7)

  private static func feed(
    _ address: String, _ rule: MagnitudeRule, _ store: QuakeStore
  ) throws -> QuakeFeed {
    try QuakeFeed(FeedSelection(address), into: store, rule: rule) {
      $0.http.retry.maximumAttempts = 1
    }
  }

  /// Stores the record and the lease of a copy.
  private static func keep(_ name: String, of source: String, _ store: QuakeStore) throws {
    let batch = try BatchUpsert<FeedLease>(store.container)
    let record = CopyRecord(source: source, lastGood: date, report: RefreshReport())
    try batch.setMetadata(record.data(), forKey: CopyRecord.key(name))
    try batch.upsert(FeedLease(feed: name, holder: "", renewals: 0))
    try batch.commit()
  }

  private static func leases(_ store: QuakeStore) throws -> [String] {
    try ModelContext(store.container).fetch(FetchDescriptor<FeedLease>()).map(\.feed)
  }

  @Test("The names of copies and leases have a digest", arguments: [MagnitudeRule.all, .aboveZero])
  func names(_ rule: MagnitudeRule) async throws {
    let store = try QuakeStore(file: nil)
    let feed = try Self.feed(Self.secret, rule, store)
    await #expect(throws: LocalCopyError.self) { try await feed.refresh() }
    let name = try FeedSource(Self.secret).identity + rule.nameSuffix
    #expect(try Self.leases(store) == [name])
    #expect(!name.contains("secret") && name.contains("sha256="))
    // An address without a query keeps its name.
    let plain = try Self.feed(Self.address, rule, store)
    await #expect(throws: LocalCopyError.self) { try await plain.refresh() }
    #expect(try Set(Self.leases(store)) == [name, Self.address + rule.nameSuffix])
  }

  @Test(
    "Copies and leases of earlier versions are taken over",
    arguments: [MagnitudeRule.all, .aboveZero])
  func former(_ rule: MagnitudeRule) async throws {
    let store = try QuakeStore(file: nil)
    try Self.keep(Self.secret + rule.nameSuffix, of: Self.secret, store)
    #expect(try store.coverage().feeds.map(\.until) == [Self.date])
    let feed = try Self.feed(Self.secret, rule, store)
    #expect(feed.copy.state.lastGood == Self.date)
    await #expect(throws: LocalCopyError.self) { try await feed.refresh() }
    // The copy's record still has its former name.
    #expect(try store.coverage().feeds.map(\.until) == [Self.date])
    // A load moves the record.
    let identity = try FeedSource(Self.secret).identity
    try Self.keep(identity + rule.nameSuffix, of: identity, store)
    let batch = try BatchUpsert<FeedLease>(store.container)
    try batch.setMetadata(nil, forKey: CopyRecord.key(Self.secret + rule.nameSuffix))
    try batch.commit()
    await #expect(throws: LocalCopyError.self) { try await feed.refresh() }
    #expect(try Self.leases(store) == [identity + rule.nameSuffix])
    #expect(try store.coverage().feeds.map(\.until) == [Self.date])
  }

  @Test("The coverage of a copy of a feed with a key is known without the key")
  func coverage() throws {
    let store = try QuakeStore(file: nil)
    let identity = try FeedSource(Self.secret).identity
    for suffix in ["", MagnitudeRule.allSuffix] {
      try Self.keep(identity + suffix, of: identity, store)
      let feeds = try store.coverage().feeds
      #expect(feeds.map(\.name) == [FeedName.allDay] && feeds.map(\.until) == [Self.date])
    }
  }
}
