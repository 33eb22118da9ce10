import Foundation
import SwiftData

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
  var predicate: Predicate<Quake> { includesWithdrawn ? withWithdrawn : standing }

  private var standing: Predicate<Quake> {
    let since = since ?? .distantPast
    switch (minimumMagnitude, search) {
    case (nil, nil):
      guard self.since != nil else { return #Predicate { $0.withdrawn == nil } }
      return #Predicate { $0.withdrawn == nil && $0.time >= since }
    case (let minimum?, nil):
      return #Predicate {
        ($0.magnitude ?? -100) >= minimum && $0.withdrawn == nil && $0.time >= since
      }
    case (nil, let text?):
      return #Predicate {
        $0.withdrawn == nil && ($0.place?.localizedStandardContains(text) ?? false)
          && $0.time >= since
      }
    case (let minimum?, let text?):
      return #Predicate {
        ($0.magnitude ?? -100) >= minimum && $0.withdrawn == nil && $0.time >= since
          && ($0.place?.localizedStandardContains(text) ?? false)
      }
    }
  }

  private var withWithdrawn: Predicate<Quake> {
    let since = since ?? .distantPast
    switch (minimumMagnitude, search) {
    case (nil, nil):
      return #Predicate { $0.replacement == nil && $0.time >= since }
    case (let minimum?, nil):
      return #Predicate {
        ($0.magnitude ?? -100) >= minimum && $0.replacement == nil && $0.time >= since
      }
    case (nil, let text?):
      return #Predicate {
        $0.replacement == nil && ($0.place?.localizedStandardContains(text) ?? false)
          && $0.time >= since
      }
    case (let minimum?, let text?):
      return #Predicate {
        ($0.magnitude ?? -100) >= minimum && $0.replacement == nil && $0.time >= since
          && ($0.place?.localizedStandardContains(text) ?? false)
      }
    }
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
