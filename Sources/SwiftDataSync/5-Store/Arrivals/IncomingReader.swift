import Foundation
import SwiftDataCore

/// Performs the processing of a page that doesn't need the store, so that it can run in parallel to the store's work.
struct IncomingReader: Sendable {
  private let forms: [String: ModelForm]
  private let arrivals: [String: ArrivalForm]

  init(_ access: ModelAccess) throws {
    forms = access.forms
    let store = access.store
    arrivals = try access.forms.compactMapValues { try ArrivalForm($0, store) }
  }

  func incoming(_ page: SyncPage) -> SyncIncoming {
    var page = page
    var seen: Set<SyncObjectID> = []
    var repeated: Set<SyncObjectID> = []
    seen.reserveCapacity(page.changes.count)
    for index in page.changes.indices {
      let object = page.changes[index].object
      if let key = forms[object.entity]?.canonical(object.key), key != object.key {
        page.changes[index].object.key = key
      }
      if !seen.insert(page.changes[index].object).inserted {
        repeated.insert(page.changes[index].object)
      }
    }
    var places: [String: [Int]] = [:]
    for (place, remote) in page.changes.enumerated() {
      // The second occurrence of an object is not a new object.
      guard remote.values != nil, arrivals[remote.object.entity] != nil,
        repeated.isEmpty || !repeated.contains(remote.object)
      else { continue }
      places[remote.object.entity, default: []].append(place)
    }
    let entities = places.sorted { $0.key < $1.key }.compactMap { entity, places in
      arrivals[entity].map { $0.rows(of: page.changes, at: places) }
    }
    guard entities.contains(where: { !$0.places.isEmpty }) else { return SyncIncoming(page) }
    return SyncIncoming(
      page, arrivals: SyncArrivals(changes: page.changes, entities: entities))
  }
}
