extension ResultsDifference where ID == PersistentIdentifier {
  /// Makes the difference between two lists from the known changes between them.
  ///
  /// When positions are known, the cost depends on the rows that were written and not on the lists.
  init(from earlier: ResultsState, to later: ResultsState, _ change: ResultsChange) {
    self.init()
    earlierCount = earlier.list.count
    count = later.list.count
    reloadsAll = change.isReload
    let keys =
      change.arePositionsKnown
      ? Self.pairs(earlier.list, later.list, change.written)
      : Self.pairs(earlier.list, later.list)
    removed = keys.removed.sorted { $0.position > $1.position }
      .map { Place(position: $0.position, id: earlier.keys.identifier(of: $0.key)) }
    inserted = keys.inserted.sorted { $0.position < $1.position }
      .map { Place(position: $0.position, id: later.keys.identifier(of: $0.key)) }
    let stay = keys.stay.sorted { $0.destination < $1.destination }
    moved = Self.moves(stay, keys, earlier, later).map { pair in
      Move(
        origin: pair.origin, destination: pair.destination,
        id: later.keys.identifier(of: pair.key))
    }
    changed = stay.filter { change.written.contains($0.key) }
      .map { Place(position: $0.destination, id: later.keys.identifier(of: $0.key)) }
    (removedSections, insertedSections) = Self.sections(earlier.spans, later.spans)
  }

  /// The keys that may have moved, with their positions in both lists.
  private struct Pairs {
    var removed: [(key: Int64, position: Int)] = []
    var inserted: [(key: Int64, position: Int)] = []
    var stay: [Pair] = []
  }

  private struct Pair {
    let key: Int64
    let origin: Int
    let destination: Int
  }

  private static func pairs(
    _ earlier: KeyList, _ later: KeyList, _ written: Set<Int64>
  ) -> Pairs {
    var pairs = Pairs()
    for key in written {
      switch (earlier.position(of: key), later.position(of: key)) {
      case (let origin?, let destination?):
        pairs.stay.append(Pair(key: key, origin: origin, destination: destination))
      case (let origin?, nil): pairs.removed.append((key, origin))
      case (nil, let destination?): pairs.inserted.append((key, destination))
      case (nil, nil): break
      }
    }
    return pairs
  }

  private static func pairs(_ earlier: KeyList, _ later: KeyList) -> Pairs {
    var pairs = Pairs()
    var origins: [Int64: Int] = [:]
    origins.reserveCapacity(earlier.count)
    for (position, key) in zip(0..., earlier.keys) { origins[key] = position }
    for (position, key) in zip(0..., later.keys) {
      if let origin = origins.removeValue(forKey: key) {
        pairs.stay.append(Pair(key: key, origin: origin, destination: position))
      } else {
        pairs.inserted.append((key, position))
      }
    }
    pairs.removed = origins.map { ($0.key, $0.value) }
    return pairs
  }

  /// The rows of both lists whose positions relative to the other rows have changed.
  ///
  /// - Parameter stay: The rows in the order of destinations.
  private static func moves(
    _ stay: [Pair], _ keys: Pairs, _ earlier: ResultsState, _ later: ResultsState
  ) -> [Pair] {
    // A row that hasn't moved has the same number of unwritten rows in front of it in both lists.
    let origins = (keys.removed.map(\.position) + stay.map(\.origin)).sorted()
    let destinations = (keys.inserted.map(\.position) + stay.map(\.destination)).sorted()
    func rank(_ position: Int, _ positions: [Int]) -> Int {
      position - BinarySearch.first(in: 0..<positions.count) { positions[$0] >= position }
    }
    let titles = zip(
      earlier.titles(at: stay.map(\.origin)), later.titles(at: stay.map(\.destination)))
    var fixed: [Int] = []
    for (place, (pair, titles)) in zip(0..., zip(stay, titles))
    where titles.0 == titles.1
      && rank(pair.origin, origins) == rank(pair.destination, destinations)
    {
      fixed.append(place)
    }
    let kept = IncreasingSubsequence.longest(fixed.map { stay[$0].origin }).map { fixed[$0] }
    var moved = stay.map { _ in true }
    for place in kept { moved[place] = false }
    return zip(stay, moved).compactMap { $1 ? $0 : nil }
  }

  private static func sections(
    _ earlier: SectionSpans?, _ later: SectionSpans?
  ) -> (removed: [Int], inserted: [Int]) {
    let earlier = earlier?.titles ?? []
    let later = later?.titles ?? []
    if earlier == later { return ([], []) }
    let origins = Dictionary(zip(earlier, 0...), uniquingKeysWith: { first, _ in first })
    let common = later.indices.compactMap { place in origins[later[place]].map { (place, $0) } }
    let kept = IncreasingSubsequence.longest(common.map { $0.1 }).map { common[$0] }
    let staying = (Set(kept.map { $0.1 }), Set(kept.map { $0.0 }))
    return (
      earlier.indices.reversed().filter { !staying.0.contains($0) },
      later.indices.filter { !staying.1.contains($0) }
    )
  }
}

extension ResultsState {
  /// The section titles at some positions; the same text for all positions without sections.
  fileprivate func titles(at positions: [Int]) -> [String] {
    guard let spans else { return positions.map { _ in "" } }
    return spans.sections(at: positions).map { section in
      spans.titles.indices.contains(section) ? spans.titles[section] : ""
    }
  }
}

enum IncreasingSubsequence {
  /// The places of a longest increasing subsequence of `numbers`, which are all different.
  static func longest(_ numbers: [Int]) -> [Int] {
    // The usual case, which needs no search.
    if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return Array(numbers.indices) }
    // For each length, the place of the smallest last number of an increasing subsequence; and for each place, the
    // place before it in its subsequence.
    var ends: [Int] = []
    var previous: [Int] = []
    previous.reserveCapacity(numbers.count)
    for (place, number) in numbers.enumerated() {
      let length = BinarySearch.first(in: 0..<ends.count) { numbers[ends[$0]] >= number }
      previous.append(length > 0 ? ends[length - 1] : -1)
      if length == ends.count { ends.append(place) } else { ends[length] = place }
    }
    var longest: [Int] = []
    var place = ends.last ?? -1
    while place >= 0 {
      longest.append(place)
      place = previous[place]
    }
    return longest.reversed()
  }
}
