/// A page of the server's changes as the ledger receives it: the objects have their local names, and the processing
/// that doesn't need the store is done.
package struct SyncIncoming: Sendable {
  package var page: SyncPage
  /// The objects of the page that can be written as rows if they are new here.
  package var arrivals: SyncArrivals?
  /// The number of the full comparison when the page was requested; nil when the page is certainly of the current one.
  package var epoch: Int64?

  package init(_ page: SyncPage, arrivals: SyncArrivals? = nil, epoch: Int64? = nil) {
    self.page = page
    self.arrivals = arrivals
    self.epoch = epoch
  }
}

extension SyncStorage {
  package func incoming(_ page: SyncPage) -> SyncIncoming {
    var page = page
    for index in page.changes.indices {
      page.changes[index].object = canonical(page.changes[index].object)
    }
    return SyncIncoming(page)
  }

  package func newObjects(_ incoming: SyncIncoming) throws -> SyncArrivals? { nil }
}

extension SyncLedger {
  /// Selects the objects of a page that are new locally and that nothing waits for: they need no merge and are written
  /// as they arrive.
  ///
  /// - Returns: The other changes.
  func takeNewObjects(_ incoming: SyncIncoming, _ draft: inout Draft) throws -> [SyncRemote] {
    // A pending response may concern an object that was created and deleted locally in the meantime.
    guard draft.inFlight.isEmpty, let newObjects = try storage.newObjects(incoming) else {
      return incoming.page.changes
    }
    var isChosen = [Bool](repeating: false, count: incoming.page.changes.count)
    for place in newObjects.places {
      isChosen[place] = true
      if !draft.pending.isEmpty { draft.pending.settle(incoming.page.changes[place].object) }
    }
    draft.writes.arrivals = newObjects
    return zip(incoming.page.changes, isChosen).lazy.filter { !$0.1 }.map(\.0)
  }
}
