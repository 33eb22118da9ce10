import Foundation
import LocalCopy
import SwiftData
import Testing

@Model
final class Depot {
  @Attribute(.unique) var code: String
  var line: RailLine?
  init(_ code: String) { self.code = code }
}

@Model
final class RailLine {
  @Attribute(.unique) var code: String
  init(_ code: String) { self.code = code }
}

/// A class whose models can't be matched with elements.
@Model
final class Signal {
  var code: String
  init(_ code: String) { self.code = code }
}

/// A class whose superclass has the unique attribute.
@Model
class Wagon {
  @Attribute(.unique) var code: String
  init(_ code: String) { self.code = code }
}

@Model
final class MailWagon: Wagon {
  var bags = 0
  override init(_ code: String) { super.init(code) }
}

/// An element of any list of the document.
struct CodedElement: Decodable, Sendable {
  var code: String
}

@Suite("Copies in one store have their own records", .timeLimit(.minutes(20)))
struct SeparateCopiesTests {
  let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Depot.self, RailLine.self, Signal.self, Wagon.self, MailWagon.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// Calls `body` with a feed of two lists.
  private func withFeed(_ body: (FeedSource) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "feed.json")
      let document = #"{"depots":[{"code":"a"}],"lines":[{"code":"x"},{"code":"y"}]}"#
      try Data(document.utf8).write(to: file)
      try await body(.file(file))
    }
  }

  private func depots(
    _ source: FeedSource, at path: JSONPath = "depots"
  ) throws -> LocalCopy<CodedElement, Depot> {
    try LocalCopy(of: source, elements: path, into: container) { Depot($0.code) }
  }

  private func lines(_ source: FeedSource) throws -> LocalCopy<CodedElement, RailLine> {
    try LocalCopy(of: source, elements: "lines", into: container) { RailLine($0.code) }
  }

  @Test("two lists of one document, and one list as two models, are copies of their own")
  func contents() async throws {
    try await withFeed { source in
      let first = try depots(source)
      #expect(try await first.refresh().inserted == 1)
      let second = try lines(source)
      #expect(second.state == .empty && second.lastReport == nil)
      #expect(try await second.refreshIfStale()?.inserted == 2)
      let third = try depots(source, at: "lines")
      #expect(third.state == .empty)
      #expect(try await third.refreshIfStale()?.inserted == 2)
      // None of them takes the record of another.
      #expect(try !first.catchUp() && !second.catchUp() && !third.catchUp())
      #expect(try depots(source).lastReport?.received == 1)
      #expect(try lines(source).lastReport?.received == 2)
      #expect(try depots(source, at: "lines").lastReport?.received == 2)
      #expect(try container.lastGood(ofCopyNamed: source.identity) == first.state.lastGood)
      // Later refreshes keep to their records.
      #expect(try await second.refresh(force: true).unchanged == 2)
      #expect(try !first.catchUp() && lines(source).lastReport?.unchanged == 2)
    }
  }

  @Test("erase() deletes the records with the models: the next refresh brings all back")
  func erased() async throws {
    try await withFeed { source in
      let first = try depots(source)
      let second = try lines(source)
      _ = try await first.refresh()
      _ = try await second.refresh()
      try container.erase()
      #expect(try depots(source).state == .empty && lines(source).state == .empty)
      #expect(try container.lastGood(ofCopyNamed: source.identity) == nil)
      #expect(try first.catchUp() && first.state == .empty)
      #expect(try await first.refreshIfStale()?.inserted == 1)
      #expect(try await second.refreshIfStale()?.inserted == 2)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Depot>()) == 1)
    }
  }

  @Test("a model that gets another store has an empty copy there, whatever the former store has")
  func otherStore() async throws {
    try await withFeed { source in
      try await withTemporaryFolder { folder in
        let own = folder.appending(path: "own.store")
        var configuration = LocalCopyConfiguration()
        func copy(in container: ModelContainer) throws -> LocalCopy<CodedElement, RailLine> {
          try LocalCopy(
            of: source, elements: "lines", into: container, configuration: configuration
          ) { RailLine($0.code) }
        }
        let clock = VirtualClock()
        configuration.clock = clock
        do {
          let together = try ModelContainer(
            for: Signal.self, RailLine.self, configurations: ModelConfiguration(url: own))
          #expect(try await copy(in: together).refresh().inserted == 2)
        }
        let before = clock.now
        clock.advance(by: .seconds(10))
        let apart = try ModelContainer(
          for: Schema([Signal.self, RailLine.self]),
          configurations: [
            ModelConfiguration("own", schema: Schema([Signal.self]), url: own),
            ModelConfiguration(
              "lines", schema: Schema([RailLine.self]),
              url: folder.appending(path: "lines.store")),
          ])
        #expect(try apart.lastGood(ofCopyNamed: source.identity) == before)
        let lines = try copy(in: apart)
        #expect(lines.state == .empty)
        #expect(try await lines.refreshIfStale()?.inserted == 2)
        #expect(try apart.lastGood(ofCopyNamed: source.identity) == clock.now)
        #expect(try copy(in: apart).state == .fresh(since: clock.now))
      }
    }
  }

  @Test("a model without a unique attribute is refused; one whose superclass has it is not")
  func unique() async throws {
    try await withFeed { source in
      let error = #expect(throws: LocalCopyError.self) {
        try LocalCopy<CodedElement, Signal>(of: source, elements: "lines", into: container) {
          Signal($0.code)
        }
      }
      #expect(error?.code == .modelNotUnique)
      #expect(error?.reason.contains("Signal") == true)
      let wagons = try LocalCopy<CodedElement, MailWagon>(
        of: source, elements: "lines", into: container
      ) { MailWagon($0.code) }
      #expect(try await wagons.refresh().inserted == 2)
    }
  }

  @Test("an error of the program's own models isn't blamed on the disk")
  func advice() async throws {
    try await withFeed { source in
      let copy = try LocalCopy<CodedElement, Depot>(of: source, elements: "depots", into: container)
      {
        let depot = Depot($0.code)
        depot.line = RailLine("not stored")
        return depot
      }
      let error = await #expect(throws: LocalCopyError.self) { try await copy.refresh() }
      #expect(error?.code == .storeFailed)
      #expect(error?.advice.contains("the program's models") == true)
    }
  }
}
