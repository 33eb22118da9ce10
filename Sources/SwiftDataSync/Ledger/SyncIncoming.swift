/// A page of the server's changes as it is taken: the objects have the names that they have here, and what a storage can
/// do without looking at itself is done.
package struct SyncIncoming: Sendable {
  package var page: SyncPage
  /// The objects of the page that can be written as rows if they are new here.
  package var arrivals: SyncArrivals?

  package init(_ page: SyncPage, arrivals: SyncArrivals? = nil) {
    self.page = page
    self.arrivals = arrivals
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

  package func newcomers(_ incoming: SyncIncoming) throws -> SyncArrivals? { nil }
}

extension SyncLedger {
  /// Chooses the objects of a page that are new here and wait for nothing: there is nothing to merge, and they are
  /// written as they come.
  ///
  /// - Returns: The other changes.
  func takeNewcomers(_ incoming: SyncIncoming, _ draft: inout Draft) throws -> [SyncRemote] {
    // An answer to come may say something of an object that was made and deleted here meanwhile.
    guard draft.inFlight.isEmpty, let newcomers = try storage.newcomers(incoming) else {
      return incoming.page.changes
    }
    var isChosen = [Bool](repeating: false, count: incoming.page.changes.count)
    for place in newcomers.places {
      isChosen[place] = true
      if !draft.pending.isEmpty { draft.pending.settle(incoming.page.changes[place].object) }
    }
    draft.writes.arrivals = newcomers
    return zip(incoming.page.changes, isChosen).lazy.filter { !$0.1 }.map(\.0)
  }
}
