import Foundation

/// What the demo feed shows and does wrong at this moment, shared by all requests.
public actor DemoWorld {
  /// Where the feed's time comes from.
  public enum Clock: Sendable {
    /// The machine's clock: new events are new for the people who watch.
    case live
    /// Stands still but for a minute a step: everything repeats exactly.
    case steps
  }

  /// The settings' and the state's summary, as `GET /control/state` gives it.
  public struct State: Codable, Hashable, Sendable {
    /// How many steps have been taken.
    public var step: Int
    /// When the state last changed, in milliseconds since 1970.
    public var generated: Int
    /// The fault that is on.
    public var fault: String
    /// How many feed requests have been answered or dropped.
    public var requests: Int
    /// How many of them were answered with 304.
    public var notModified: Int
    /// How many events `all_month` has; captures give `nil`.
    public var events: Int?
    /// What the last step changed.
    public var lastStep: Catalogue.Step
  }

  /// What one feed request needs.
  struct Answer: Sendable {
    var catalogue: Catalogue
    var replay: Replay?
    var fault: Fault
  }

  private var catalogue: Catalogue
  private let replay: Replay?
  private let clock: Clock
  private var fault: Fault
  private var requests = 0
  private var notModified = 0

  /// A world in its first state.
  public init(_ catalogue: Catalogue, replay: Replay?, clock: Clock, fault: Fault) {
    self.catalogue = catalogue
    self.replay = replay
    self.clock = clock
    self.fault = fault
  }

  /// The state's summary.
  public var state: State {
    let month = SummaryFeed(level: .all, window: .month)
    return State(
      step: catalogue.step, generated: catalogue.generated, fault: fault.rawValue,
      requests: requests, notModified: notModified,
      events: replay == nil ? CatalogueEvents.count(of: month, in: catalogue) : nil,
      lastStep: catalogue.lastStep)
  }

  /// Takes one step and gives the new state.
  @discardableResult
  public func advance() -> State {
    switch clock {
    case .live: catalogue.advance(now: Int(Date().timeIntervalSince1970 * 1_000))
    case .steps: catalogue.advance(now: catalogue.generated + 60_000)
    }
    return state
  }

  /// Switches a fault on, or all off with ``Fault/none``.
  public func turnOn(_ fault: Fault) -> State {
    self.fault = fault
    return state
  }

  func answer() -> Answer {
    requests += 1
    return Answer(catalogue: catalogue, replay: replay, fault: fault)
  }

  func countNotModified() { notModified += 1 }
}
