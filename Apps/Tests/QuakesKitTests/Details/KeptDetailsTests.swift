import Foundation
import LocalCopy
import SwiftData
import Testing

@testable import QuakesKit
@testable import TestSupport

/// The models of the version before details were kept.
private enum WithoutDetails {
  static func container(_ location: StoreLocation) throws -> ModelContainer {
    let configuration: any DataStoreConfiguration =
      switch location {
      case .memory: ModelConfiguration(isStoredInMemoryOnly: true)
      case .file(let file): ModelConfiguration(url: file)
      case .server(let configuration): configuration
      }
    return try ModelContainer(
      for: Quake.self, FeedLease.self, configurations: configuration)
  }
}

@Suite("Kept details")
struct KeptDetailsTests {
  private static let now = Date(timeIntervalSince1970: 1_750_000_000)

  private func event(
    _ id: String, age: Double = 3_600, updated: Double = 1_800, ids: String? = nil
  ) throws -> Event {
    var event = try JSONDecoder().decode(
      FeedEvent.self, from: Data(Fixture.feature(id).utf8)
    ).event
    event.time = Self.now.addingTimeInterval(-age)
    event.updated = Self.now.addingTimeInterval(-updated)
    event.aliases = ids
    return event
  }

  private func kept(
    _ id: String, loadedBefore age: Double = 60, updatedBefore updated: Double = 1_800
  ) -> KeptDetails {
    var details = EventDetails()
    details.shaking = 6.5
    details.felt = .init(responses: 5, intensity: 3)
    details.contours = [
      .init(
        intensity: 5,
        lines: [[.init(longitude: 1.5, latitude: -2), .init(longitude: 3, latitude: 4)]])
    ]
    details.addresses = [.contours: "https://a.example/c.json"]
    return KeptDetails(
      event: id, address: "https://a.example/\(id)", loaded: Self.now.addingTimeInterval(-age),
      eventUpdated: Self.now.addingTimeInterval(-updated), details: details,
      validators: FeedValidators(entityTag: "\"1\""))
  }

  @Test(
    "Details are kept per event, replaced by later ones, and found again",
    arguments: StoreForm.single)
  func keeping(_ form: StoreForm) throws {
    let place = try TestStore(form)
    let store = try place.open()
    #expect(try store.keptDetails(of: event("us1")) == nil)
    try store.keep(kept("us1"))
    try store.keep(kept("us2"))
    #expect(try store.keptDetails(of: event("us1")) == kept("us1"))
    var later = kept("us1", loadedBefore: 0)
    later.details.shaking = nil
    later.details.missing = [.contours]
    try store.keep(later)
    #expect(try store.keptDetails(of: event("us1")) == later)
    #expect(try store.keptDetails(of: event("us2")) == kept("us2"))
    #expect(try store.keptDetails(of: event("us3")) == nil)
    // Details are no events.
    #expect(try store.count() == 0)
  }

  @Test(
    "An earthquake with a new identifier has the details of the former one until its own are kept")
  func renamed() throws {
    let store = try QuakeStore(file: nil)
    try store.keep(kept("nc1", loadedBefore: 500))
    try store.keep(kept("at1", loadedBefore: 400))
    let event = try event("us1", ids: ",nc1,at1,us1,")
    let former = try #require(try store.keptDetails(of: event))
    #expect(former.event == "at1" && !former.areCurrent(for: event, at: Self.now))
    try store.keep(kept("us1", loadedBefore: 900))
    #expect(try store.keptDetails(of: event)?.event == "us1")
  }

  @Test("When kept details are loaded again")
  func currency() throws {
    func isCurrent(
      _ kept: KeptDetails, age: Double = 3_600, updated: Double = 1_800, withdrawn: Bool = false
    ) throws -> Bool {
      var event = try event("us1", age: age, updated: updated)
      if withdrawn { event.withdrawn = Self.now }
      return kept.areCurrent(for: event, at: Self.now)
    }
    let (day, month) = (86_400.0, 30 * 86_400.0)
    #expect(try isCurrent(kept("us1")))
    #expect(try isCurrent(kept("us1", loadedBefore: day - 1)))
    #expect(try !isCurrent(kept("us1", loadedBefore: day + 1)))
    // A clock that was set back by years.
    #expect(try !isCurrent(kept("us1", loadedBefore: -1e8)))
    #expect(try isCurrent(kept("us1", loadedBefore: 10 * month), age: month + 1, updated: 1_800))
    #expect(try !isCurrent(kept("us1", updatedBefore: 2_000)))
    #expect(try isCurrent(kept("us1", updatedBefore: 1_000)))
    #expect(
      try isCurrent(kept("us1", loadedBefore: 9 * day, updatedBefore: 9_000), withdrawn: true))
    #expect(try !isCurrent(kept("nc1")))
    var partly = kept("us1", loadedBefore: 100)
    partly.details.missing = [.towns]
    #expect(try isCurrent(partly))
    partly.loaded = Self.now.addingTimeInterval(-301)
    #expect(try !isCurrent(partly))
  }

  @Test(
    "A store of the version before details opens with all its events, and keeps details",
    arguments: StoreForm.shared)
  func formerStore(_ form: StoreForm) throws {
    let place = try TestStore(form)
    do {
      let context = ModelContext(try WithoutDetails.container(place.location))
      for number in 0..<200 { context.insert(Quake(try event("nc\(number)"))) }
      try context.save()
    }
    if case .server = place.location {
      // A command that only reads changes nothing on a server.
      let error = #expect(throws: QuakesError.self) {
        try QuakeStore(place.location, isReadOnly: true)
      }
      #expect(error?.reason.contains("`quakes refresh` brings it up to date") == true)
    }
    do {
      let store = try place.open()
      #expect(try store.count() == 200)
      #expect(try store.keptDetails(of: event("nc7")) == nil)
      try store.keep(kept("nc7"))
    }
    let store = try QuakeStore(place.location, isReadOnly: true)
    #expect(try store.keptDetails(of: event("nc7")) == kept("nc7") && store.count() == 200)
  }

  @Test("Content that cannot be read counts as none, and is replaced")
  func damaged() throws {
    let store = try QuakeStore(file: nil)
    let context = ModelContext(store.container)
    context.insert(
      DetailsRecord(
        eventID: "us1", address: "x", loaded: Self.now, eventUpdated: Self.now, entityTag: nil,
        lastModified: nil, content: Data("{".utf8)))
    try context.save()
    #expect(try store.keptDetails(of: event("us1")) == nil)
    try store.keep(kept("us1"))
    #expect(try store.keptDetails(of: event("us1")) == kept("us1"))
  }
}
