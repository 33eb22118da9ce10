import Foundation
import QuakesKit
import Testing

@Suite("Changes of events, one after the other and merged")
struct EventChangesTests {
  private static func event(_ id: String, _ magnitude: Double = 1) -> Event {
    let start = Date(timeIntervalSince1970: 0)
    return Event(
      eventID: id, magnitude: magnitude, time: start, updated: start, longitude: 0, latitude: 0,
      type: "earthquake", tsunami: false, significance: 0, code: "", net: "")
  }

  /// Returns the events of a page after changes.
  private static func applied(_ changes: EventChanges, to page: [String: Event]) -> [String: Event]
  {
    var page = page
    for id in changes.deleted { page[id] = nil }
    for event in changes.inserted + changes.updated { page[event.id] = event }
    return page
  }

  /// Returns all possible changes of one event.
  private static func steps(_ magnitude: Double) -> [(name: String, changes: EventChanges)] {
    [
      ("nothing", EventChanges()), ("inserted", EventChanges(inserted: [event("a", magnitude)])),
      ("updated", EventChanges(updated: [event("a", magnitude)])),
      ("deleted", EventChanges(deleted: ["a"])),
    ]
  }

  @Test("Merged changes equal the sequence, and each event is in one list")
  func merging() {
    for (number, start) in [[:], ["a": Self.event("a", 9)]].enumerated() {
      for first in Self.steps(1) {
        for second in Self.steps(2) {
          for third in Self.steps(3) {
            let names = "\(number): \(first.name), \(second.name), \(third.name)"
            var merged = first.changes
            merged.merge(second.changes)
            merged.merge(third.changes)
            let ids = merged.inserted.map(\.id) + merged.updated.map(\.id) + merged.deleted
            #expect(ids.count <= 1, "\(names)")
            let steps = [first.changes, second.changes, third.changes]
            let exists = start["a"] != nil
            // Impossible sequences, such as an insertion of an existing event, have no correct
            // result.
            guard Self.isPossible(steps, exists) else { continue }
            let expected = steps.reduce(start) { Self.applied($1, to: $0) }
            #expect(Self.applied(merged, to: start) == expected, "\(names)")
            #expect(merged.inserted.isEmpty || !exists, "\(names)")
          }
        }
      }
    }
  }

  private static func isPossible(_ steps: [EventChanges], _ exists: Bool) -> Bool {
    var exists = exists
    for step in steps {
      if !step.inserted.isEmpty, exists { return false }
      if !step.updated.isEmpty || !step.deleted.isEmpty, !exists { return false }
      if !step.inserted.isEmpty { exists = true }
      if !step.deleted.isEmpty { exists = false }
    }
    return true
  }

  @Test("Replaced events are deleted for readers that don't get them, withdrawn ones are updated")
  func replaced() {
    func withdrawn(_ id: String, _ replacement: String?) -> Event {
      var event = Self.event(id)
      (event.withdrawn, event.replacement) = (event.time, replacement)
      return event
    }
    let standing = EventChanges(
      inserted: [Self.event("a")], updated: [withdrawn("b", nil)], deleted: ["c"])
    #expect(standing.withoutReplaced == standing)
    let changes = EventChanges(
      inserted: [Self.event("a"), withdrawn("d", "a")],
      updated: [withdrawn("b", nil), withdrawn("e", "a")], deleted: ["c"])
    #expect(
      changes.withoutReplaced
        == EventChanges(
          inserted: [Self.event("a")], updated: [withdrawn("b", nil)], deleted: ["c", "e"]))
    #expect(EventChanges.unknown.withoutReplaced == .unknown)
  }

  @Test("Too many together, or something unknown, is a reload that lists nothing")
  func limits() {
    let half = (0..<300).map { Self.event("a\($0)") }
    let other = (0..<201).map { Self.event("b\($0)") }
    var merged = EventChanges(inserted: half)
    #expect(!merged.reload && merged.inserted.count == 300)
    merged.merge(EventChanges(updated: half))
    #expect(!merged.reload && merged.inserted.count == 300 && merged.updated.isEmpty)
    merged.merge(EventChanges(deleted: other.map(\.id)))
    #expect(merged == .unknown && merged.inserted.isEmpty && !merged.isEmpty)
    var known = EventChanges(inserted: [Self.event("a")])
    known.merge(.unknown)
    #expect(known == .unknown)
  }
}
