import Foundation
import SwiftData
import SwiftDataExtras

extension EventQuery {
  /// Returns the query as a fetch descriptor.
  func descriptor() -> FetchDescriptor<Quake> {
    var descriptor = FetchDescriptor<Quake>(predicate: predicate, sortBy: sorting)
    descriptor.fetchLimit = limit
    if offset > 0 { descriptor.fetchOffset = offset }
    return descriptor
  }

  /// The condition alone. Each combination is a predicate of its own, so that the store can use its
  /// indexes: conditions that a variable switches off would prevent that.
  var predicate: Predicate<Quake> {
    let others = includesWithdrawn ? withWithdrawn : standing
    guard let searched else { return others }
    return Predicate(all: [others, searched])
  }

  private var standing: Predicate<Quake> {
    guard let minimum = minimumMagnitude else {
      guard let since else { return #Predicate { $0.withdrawn == nil } }
      return #Predicate { $0.withdrawn == nil && $0.time >= since }
    }
    let since = since ?? .distantPast
    return #Predicate {
      ($0.magnitude ?? -100) >= minimum && $0.withdrawn == nil && $0.time >= since
    }
  }

  private var withWithdrawn: Predicate<Quake> {
    let since = since ?? .distantPast
    guard let minimum = minimumMagnitude else {
      return #Predicate { $0.replacement == nil && $0.time >= since }
    }
    return #Predicate {
      ($0.magnitude ?? -100) >= minimum && $0.replacement == nil && $0.time >= since
    }
  }

  /// The condition of the search: all of its words, or a whole identifier.
  private var searched: Predicate<Quake>? {
    guard let search, !searchWords.isEmpty else { return nil }
    let id = search.trimmingCharacters(in: .whitespacesAndNewlines)
    return Predicate(any: [
      Predicate(all: searchWords.map(\.condition)), #Predicate { $0.eventID == id },
    ])
  }

  private var sorting: [SortDescriptor<Quake>] {
    let direction: SortOrder = order == .ascending ? .forward : .reverse
    let first: SortDescriptor<Quake> =
      switch sort {
      case .time: SortDescriptor(\.time, order: direction)
      case .magnitude: SortDescriptor(\.magnitude, order: direction)
      case .place: SortDescriptor(\.place, order: direction)
      }
    return [first, SortDescriptor(\.eventID, comparator: .lexical)]
  }
}
