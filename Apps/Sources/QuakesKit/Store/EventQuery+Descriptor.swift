import Foundation
import SwiftData
import SwiftDataExtras

extension EventQuery {
  /// The query as fetch descriptors whose results follow one another, without limit and offset. Ascending orders have
  /// two of them: stores begin with what has no value, which comes last here.
  var descriptors: [FetchDescriptor<Quake>] {
    parts.map { part in
      let condition = part.map { Predicate(all: [predicate, $0]) } ?? predicate
      return FetchDescriptor(predicate: condition, sortBy: sorting)
    }
  }

  /// The conditions of the descriptors.
  private var parts: [Predicate<Quake>?] {
    guard order == .ascending else { return [nil] }
    switch sort {
    case .time: return [nil]
    case .place: return [#Predicate { $0.place != nil }, #Predicate { $0.place == nil }]
    case .magnitude:
      // With a limit, all have one.
      guard minimumMagnitude == nil, maximumMagnitude == nil else { return [nil] }
      return [#Predicate { $0.magnitude != nil }, #Predicate { $0.magnitude == nil }]
    }
  }

  /// The condition alone. Each combination is a predicate of its own, so that the store can use its
  /// indexes: conditions that a variable switches off would prevent that.
  var predicate: Predicate<Quake> {
    let others = includesWithdrawn ? withWithdrawn : standing
    let further = limits + (searched.map { [$0] } ?? [])
    return further.isEmpty ? others : Predicate(all: [others] + further)
  }

  /// The conditions that are rarely set.
  private var limits: [Predicate<Quake>] {
    var limits: [Predicate<Quake>] = []
    if let until { limits.append(#Predicate { $0.time < until }) }
    if let most = maximumMagnitude {
      limits.append(#Predicate { $0.magnitude != nil && ($0.magnitude ?? 0) <= most })
    }
    if let least = minimumDepth {
      limits.append(#Predicate { $0.depth != nil && ($0.depth ?? 0) >= least })
    }
    if let most = maximumDepth {
      limits.append(#Predicate { $0.depth != nil && ($0.depth ?? 0) <= most })
    }
    if let box { limits.append(box.condition) }
    return limits
  }

  /// The earliest time that an event can have: the start of ECMAScript's dates, in the year -271821.
  private static let earliest = Date(timeIntervalSince1970: -8.64e12)

  private var standing: Predicate<Quake> {
    guard let minimum = minimumMagnitude else {
      guard let since else { return #Predicate { $0.withdrawn == nil } }
      return #Predicate { $0.withdrawn == nil && $0.time >= since }
    }
    let since = since ?? Self.earliest
    return #Predicate {
      ($0.magnitude ?? -100) >= minimum && $0.withdrawn == nil && $0.time >= since
    }
  }

  private var withWithdrawn: Predicate<Quake> {
    let since = since ?? Self.earliest
    guard let minimum = minimumMagnitude else {
      return #Predicate { $0.replacement == nil && $0.time >= since }
    }
    return #Predicate {
      ($0.magnitude ?? -100) >= minimum && $0.replacement == nil && $0.time >= since
    }
  }

  /// The condition of the search: all of its terms, or a whole identifier.
  private var searched: Predicate<Quake>? {
    guard let search, !search.terms.isEmpty else { return nil }
    let terms = Predicate(all: search.terms.map(\.condition))
    guard let id = search.identifier else { return terms }
    return Predicate(any: [terms, #Predicate { $0.eventID == id }])
  }

  private var sorting: [SortDescriptor<Quake>] {
    let direction: SortOrder = order == .ascending ? .forward : .reverse
    let first: SortDescriptor<Quake> =
      switch sort {
      case .time: SortDescriptor(\.time, order: direction)
      case .magnitude: SortDescriptor(\.magnitude, order: direction)
      case .place: SortDescriptor(\.place, order: direction)
      }
    let newest = sort == .time ? [] : [SortDescriptor(\Quake.time, order: .reverse)]
    return [first] + newest + [SortDescriptor(\.eventID, comparator: .lexical)]
  }
}
