/// The events of one summary feed at one state of a catalogue, newest first. They are generated one
/// at a time: iterating over a million of them keeps one in memory.
struct CatalogueEvents: Sequence, IteratorProtocol {
  private let catalogue: Catalogue
  private let level: SummaryFeed.Level
  private let oldest: Int
  private var nextBase = 0
  private var nextAdded = 0
  private var pending: SyntheticEvent?

  init(of feed: SummaryFeed, in catalogue: Catalogue) {
    self.catalogue = catalogue
    level = feed.level
    oldest = catalogue.generated - feed.window.milliseconds
  }

  /// Returns the number of events of the feed.
  static func count(of feed: SummaryFeed, in catalogue: Catalogue) -> Int {
    guard feed.level == .all else {
      return CatalogueEvents(of: feed, in: catalogue).reduce(0) { sum, _ in sum + 1 }
    }
    let oldest = catalogue.generated - feed.window.milliseconds
    return catalogue.baseCount(since: oldest)
      + catalogue.added.filter { $0.time >= oldest }.count
  }

  mutating func next() -> SyntheticEvent? {
    while let event = nextOfAnyLevel() {
      if level.admits(event) { return event }
    }
    return nil
  }

  /// Returns the newer of the next initial event and the next event from later steps.
  private mutating func nextOfAnyLevel() -> SyntheticEvent? {
    if pending == nil { pending = nextFromStart() }
    let later = nextAdded < catalogue.added.count ? catalogue.added[nextAdded] : nil
    if let later, later.time >= oldest, later.time >= (pending?.time ?? .min) {
      nextAdded += 1
      return later
    }
    defer { pending = nil }
    return pending
  }

  private mutating func nextFromStart() -> SyntheticEvent? {
    while nextBase < catalogue.baseCount {
      let index = nextBase
      guard catalogue.baseTime(index) >= oldest else { return nil }
      nextBase += 1
      if !catalogue.isRemoved(index) { return catalogue.baseEvent(index) }
    }
    return nil
  }
}
