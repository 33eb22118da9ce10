/// The state of the demo world, which requests are answered from. It is a value: two catalogues
/// created with the same settings and advanced at the same times are equal, and serve equal bytes.
///
/// The initial events aren't stored but computed (``EventGenerator``), newest first and spread over
/// thirty days. Only the changes of later steps are stored. The archive of the years before
/// continues their numbers.
public struct Catalogue: Hashable, Sendable {
  /// The changes of one step.
  public struct Step: Hashable, Sendable, Codable {
    /// Identifiers of events that appeared.
    public var added: [String] = []
    /// Identifiers of events whose content changed.
    public var revised: [String] = []
    /// Identifiers of events that disappeared.
    public var removed: [String] = []
    /// Identifiers of events that came back after they had disappeared.
    public var restored: [String] = []
  }

  /// The maximum number of added events; beyond it, the oldest are dropped.
  static let maximumAdded = 20_000
  /// The maximum number of removed events; beyond it, the one that was removed first is restored.
  static let maximumRemoved = 64
  /// The maximum number of events with the archive: the codes of added events begin there.
  static let maximumArchive = 40_000_000

  /// The seed of all generated values.
  public let seed: UInt64
  /// The number of initial events, over thirty days.
  public let baseCount: Int
  /// The number of initial events with those of the archive, which are older than thirty days.
  public let archiveCount: Int
  /// The time of the first state, in milliseconds since 1970.
  public let anchor: Int
  /// The number of steps taken.
  public private(set) var step = 0
  /// The time at which the state last changed, in milliseconds since 1970: the feed's `generated`.
  public private(set) var generated: Int
  /// The changes of the last step.
  public private(set) var lastStep = Step()

  private(set) var added: [SyntheticEvent] = []
  private var revisions: [Int: Revision] = [:]
  private var removed: [Int] = []

  private struct Revision: Hashable, Sendable {
    var number: Int
    var at: Int
  }

  /// Creates a catalogue in its first state.
  /// - Parameters:
  ///   - seed: The seed of all generated values.
  ///   - events: The number of events in thirty days.
  ///   - anchor: The time of the first state, in milliseconds since 1970.
  ///   - years: The length of the archive, in years of 365.25 days.
  public init(seed: UInt64, events: Int, anchor: Int, years: Int = 0) {
    self.seed = seed
    self.baseCount = max(0, events)
    let months = Double(max(0, years)) * 365.25 / 30
    archiveCount = max(
      baseCount, Int(min(Double(Self.maximumArchive), Double(baseCount) * months)))
    self.anchor = anchor
    self.generated = anchor
  }

  /// Takes a step: some events are added, some are revised, and occasionally one is removed or
  /// restored.
  /// - Parameter now: The time of the step, in milliseconds since 1970. The feed's `generated`
  ///   moves to it, and by at least a second, since HTTP dates count seconds.
  public mutating func advance(now: Int) {
    step += 1
    generated = max(now, generated + 1_000)
    var random = CounterRandom(seed: seed, stream: 4, index: step)
    var change = Step()
    addEvents(&change, &random)
    reviseEvents(&change, &random)
    if step % 3 == 0 { removeEvent(&change, &random) }
    if step % 5 == 0, let index = removed.popLast() {
      change.restored.append(baseEvent(index).id)
    }
    lastStep = change
  }

  /// Returns an initial event in its current revision.
  func baseEvent(_ index: Int) -> SyntheticEvent {
    let generator = EventGenerator(seed: seed)
    let event = generator.event(at: baseTime(index), from: .base(index), by: anchor)
    guard let revision = revisions[index] else { return event }
    return generator.revised(event, revision: revision.number, at: revision.at)
  }

  /// Returns the magnitude of an initial event in its current revision, in hundredths, in less time
  /// than the whole event takes.
  func baseMagnitude(_ index: Int) -> Int? {
    guard revisions[index] == nil else { return baseEvent(index).magnitude }
    return EventGenerator(seed: seed).magnitude(from: .base(index))
  }

  func isRemoved(_ index: Int) -> Bool { !removed.isEmpty && removed.contains(index) }

  /// Returns the number of initial events that happened at `oldest` or later and aren't removed.
  func baseCount(since oldest: Int) -> Int {
    let end = index(before: oldest, below: baseCount)
    return end - removedCount(in: 0..<end)
  }

  /// Returns the number of removed events among those with these indices.
  func removedCount(in indices: Range<Int>) -> Int { removed.filter(indices.contains).count }

  /// Returns the indices of the initial and archived events between two times, inclusively, in
  /// milliseconds since 1970; removed events are among them.
  func archiveIndices(since oldest: Int, until newest: Int) -> Range<Int> {
    let start = index(before: newest + 1, below: archiveCount)
    return start..<max(start, index(before: oldest, below: archiveCount))
  }

  /// Returns the index of the first event that happened before `time`. The times decrease with the
  /// index, so a binary search finds it.
  private func index(before time: Int, below count: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if baseTime(middle) >= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the time of base event `index`: evenly spread, with a jitter that keeps the order.
  func baseTime(_ index: Int) -> Int {
    var random = CounterRandom(seed: seed, stream: 5, index: index)
    let span = Double(SummaryFeed.Window.month.milliseconds)
    let share = (Double(index) + random.unit()) / Double(max(1, baseCount))
    return anchor - Int(span * share)
  }

  private mutating func addEvents(_ change: inout Step, _ random: inout CounterRandom) {
    let generator = EventGenerator(seed: seed)
    for index in 0..<(1 + random.below(3)) {
      // About a quarter of real events appear in the feed more than a day after they happened.
      let late = random.chance(0.2)
      let delay = late ? 86_400_000 + random.below(86_400_000) : 20_000 + random.below(240_000)
      let event = generator.event(
        at: generated - delay, from: .added(step: step, index: index), by: generated)
      change.added.append(event.id)
      added.append(event)
    }
    added.sort { ($0.time, $0.id) > ($1.time, $1.id) }
    if added.count > Self.maximumAdded { added.removeLast(added.count - Self.maximumAdded) }
  }

  private mutating func reviseEvents(_ change: inout Step, _ random: inout CounterRandom) {
    guard baseCount > 0 else { return }
    for _ in 0..<(1 + random.below(3)) {
      // Recent events are revised more often than old ones.
      let share = random.unit()
      let index = min(baseCount - 1, Int(share * share * Double(baseCount) / 8))
      revisions[index] = Revision(number: (revisions[index]?.number ?? 0) + 1, at: generated)
      let id = baseEvent(index).id
      if !change.revised.contains(id) { change.revised.append(id) }
    }
  }

  private mutating func removeEvent(_ change: inout Step, _ random: inout CounterRandom) {
    guard baseCount > 0 else { return }
    let index = random.below(max(1, baseCount / 8))
    guard !isRemoved(index) else { return }
    removed.append(index)
    change.removed.append(baseEvent(index).id)
    if removed.count > Self.maximumRemoved {
      change.restored.append(baseEvent(removed.removeFirst()).id)
    }
  }
}
