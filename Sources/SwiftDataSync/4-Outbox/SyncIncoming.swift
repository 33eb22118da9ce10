/// A page of the server's changes as the ledger receives it: the objects have their local names, and the processing
/// that doesn't need the store is done.
package struct SyncIncoming: Sendable {
  package var page: SyncPage
  /// The objects of the page that can be written as rows if they are new here.
  package var arrivals: SyncArrivals?
  /// The request of the page; nil when nothing was exchanged since.
  package var request: SyncPageRequest?

  package init(
    _ page: SyncPage, arrivals: SyncArrivals? = nil, request: SyncPageRequest? = nil
  ) {
    self.page = page
    self.arrivals = arrivals
    self.request = request
  }
}

/// The request of a page.
package struct SyncPageRequest: Hashable, Sendable {
  /// The end of the page before.
  var cursor: String?
  /// The identifier of the local store.
  var client: String
  /// The number of the full comparison that the page belongs to.
  var epoch: Int64
  /// The number of answered pushes whose changes the page has.
  var pushes: Int64

  package init(_ progress: SyncProgress) {
    (cursor, client) = (progress.cursor, progress.client)
    (epoch, pushes) = (progress.epoch, progress.pushes)
  }

  /// Whether another engine on the store has begun a comparison since, or fetched further pages: the comparison would
  /// count the page's objects as seen, or begin anew with the page.
  func isOvertaken(_ progress: SyncProgress) -> Bool {
    epoch != progress.epoch || cursor != progress.cursor
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
    guard draft.inFlight.isEmpty, !draft.writes.mayReturn,
      let newObjects = try storage.newObjects(incoming)
    else {
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
