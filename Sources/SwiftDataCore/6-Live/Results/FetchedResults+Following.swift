import Foundation

/// The rows that transactions have changed.
private struct ChangedKeys {
  /// Whether each row may have been added, removed or moved.
  var rows: [Int64: Bool] = [:]
  var isComplete = true
  /// Whether rows of other entities, on which the result also depends, have changed.
  var hasOthers = false

  var change: ResultsChange {
    isComplete ? ResultsChange(written: Set(rows.keys)) : .anything
  }

  mutating func insert(_ range: ClosedRange<Int64>, isPlacing: Bool, limit: Int) {
    guard isComplete, range.count <= limit - rows.count else {
      isComplete = false
      return
    }
    for row in range { rows[row] = isPlacing || rows[row] ?? false }
  }
}

extension FetchedResults {
  /// The outcome of following the commits.
  enum Step {
    /// The result is the same, or another one that was found from the changed rows.
    case known(FetchedResults, ResultsChange, through: Int64)
    /// The result has to be fetched again. The change is that of the transactions up to `through`.
    case unknown(ResultsChange, through: Int64)
  }

  /// The maximum number of changed rows: this part of the list, but at least `minimum`. Beyond it,
  /// fetching again costs less.
  private static var maximumChanges: (part: Int, minimum: Int) { (8, 64) }

  /// Follows the transactions after a number.
  ///
  /// - Throws: The store's error when it can't be read.
  func following(after number: Int64) throws -> Step {
    let map = liveFetch.map
    guard let now = map.capabilities.commitTracking?.position,
      now.unrecorded == position?.unrecorded
    else {
      return .unknown(.anything, through: number)
    }
    guard following != .impossible, !liveFetch.takesPendingChanges,
      let query = try Self.exactQuery(liveFetch)
    else {
      return .unknown(ResultsChange(arePositionsKnown: false), through: number)
    }
    var order: StoreQuery?
    if following == .complete, !liveFetch.isOrderedByRow {
      var request = liveFetch.context.request(for: liveFetch.stored, liveFetch.map)
      request.predicate = nil
      request.purpose = .identifiers
      order = try map.store.prepare(request)
    }
    var step = Step.unknown(.anything, through: number)
    do {
      _ = try map.capabilities.readTransactions?.withReadTransaction { transaction in
        step = try self.step(after: number, query, order, in: transaction, now)
      }
    } catch SwiftDataError.historyTokenExpired { return .unknown(.anything, through: number) }
    return step
  }

  /// The rows that this result, which was fetched after an earlier one, has from transactions after a number. Rows of
  /// transactions after the result may be among them.
  ///
  /// - Throws: The store's error when it can't be read.
  func written(since earlier: FetchedResults, after number: Int64) throws -> ResultsChange {
    guard position?.unrecorded == earlier.position?.unrecorded else { return .anything }
    // A store that doesn't count commits has no position. A position that is behind the number is that of a process
    // that hasn't noticed yet all that it has read: transactions after it will be followed.
    guard let position, position.transaction > number else { return ResultsChange() }
    var found = ChangedKeys(isComplete: false)
    do {
      _ = try liveFetch.map.capabilities.readTransactions?.withReadTransaction { transaction in
        found = try Self.read(after: number, liveFetch, list.count, in: transaction).0
      }
    } catch SwiftDataError.historyTokenExpired { return .anything }
    return found.change
  }

  private static func read(
    after number: Int64, _ liveFetch: LiveFetch<Element, SectionTitle>, _ count: Int,
    in transaction: any ReadTransaction
  ) throws -> (ChangedKeys, Int64) {
    var found = ChangedKeys()
    let plan = liveFetch.map.plan
    let last = try transaction.forEachChange(after: number, of: liveFetch.entities.names) {
      change in
      guard change.plan === plan else {
        found.hasOthers = true
        // A subclass has its rows in the same table.
        if change.plan.table != plan.table { return }
        return found.insert(change.rowIDs, isPlacing: true, limit: ResultsChange.limit(count))
      }
      let isPlacing =
        change.properties.map { properties in
          liveFetch.entities.placing.map { !$0.isDisjoint(with: properties) } ?? true
        } ?? true
      found.insert(change.rowIDs, isPlacing: isPlacing, limit: ResultsChange.limit(count))
    }
    return (found, last)
  }

  private func step(
    after number: Int64, _ query: StoreQuery, _ order: StoreQuery?,
    in transaction: any ReadTransaction,
    _ now: StorePosition
  ) throws -> Step {
    let (found, last) = try Self.read(after: number, liveFetch, list.count, in: transaction)
    let change = found.change
    guard found.isComplete, !found.hasOthers else {
      return .unknown(change.withoutKnownPositions(), through: last)
    }
    let placing = found.rows.filter(\.value).map(\.key)
    if placing.isEmpty { return .known(self, change, through: last) }
    let most = max(Self.maximumChanges.minimum, list.count / Self.maximumChanges.part)
    guard following == .complete, placing.count <= most else {
      return .unknown(change.withoutKnownPositions(), through: last)
    }
    guard let newer = try placed(placing, query, order, in: transaction, now) else {
      return .unknown(change.withoutKnownPositions(), through: last)
    }
    return .known(newer, change, through: last)
  }

  /// The result after some rows may have been added, removed or moved.
  ///
  /// - Returns: nil when the list doesn't have the store's earlier content.
  private func placed(
    _ changed: [Int64], _ query: StoreQuery, _ order: StoreQuery?,
    in transaction: any ReadTransaction,
    _ now: StorePosition
  ) throws -> FetchedResults? {
    var rows: [Int64] = []
    var titles: [String] = []
    let isKnown = try transaction.forEachRow(
      of: query, among: changed.sorted(), text: liveFetch.sectioning?.keyPath
    ) { row, text in
      rows.append(row)
      titles.append(String(decoding: text, as: UTF8.self))
    }
    guard isKnown else { return nil }
    var same = self
    same.list.makeIndex()
    let positions = changed.compactMap(same.list.position(of:))
    if rows.isEmpty, positions.isEmpty { return same }
    var rest = same.list
    var left = spans?.removing(positions)
    rest.remove(changed)
    let places = try PositionSearch.positions(of: rows, in: rest) { keys in
      guard let order else { return keys.sorted() }
      var ordered: [Int64] = []
      _ = try transaction.forEachRow(of: order, among: keys, text: nil) { row, _ in
        ordered.append(row)
      }
      return ordered
    }
    guard let places else { return nil }
    if left != nil {
      left = left?.inserting(zip(places, titles).map { ($0, $1) })
      guard left != nil else { return nil }
    }
    rest.insert(zip(places, rows).map { ($0, $1) })
    let isSame =
      rows.count == positions.count && left?.titles == spans?.titles
      && left?.counts == spans?.counts
      && rows.allSatisfy { rest.position(of: $0) == same.list.position(of: $0) }
    // A model of a row that was deleted and stored again is exchanged for another one.
    if isSame, !pages.haveDeleted(among: rows, in: same.list) { return same }
    return FetchedResults(
      liveFetch, rest, left, try Self.livePages(rest, liveFetch, after: self), following, now)
  }
}
