import Foundation

/// The current contents and fault of the demo feed, shared by all requests.
public actor DemoWorld {
  /// The source of the feed's time.
  public enum Clock: Sendable {
    /// The machine's clock: new events have the current time.
    case live
    /// A clock that advances only by one minute per step: everything is exactly repeatable.
    case steps
  }

  /// A summary of the settings and the state, as `GET /control/state` returns it.
  public struct State: Codable, Hashable, Sendable {
    /// The number of steps taken.
    public var step: Int
    /// The time at which the state last changed, in milliseconds since 1970.
    public var generated: Int
    /// The active fault.
    public var fault: String
    /// The number of feed requests that were answered or dropped.
    public var requests: Int
    /// The number of feed requests that were answered with 304.
    public var notModified: Int
    /// The number of events of `all_month`; `nil` for captures.
    public var events: Int?
    /// The changes of the last step.
    public var lastStep: Catalogue.Step
  }

  /// The data that answering a feed request needs.
  struct Answer: Sendable {
    var catalogue: Catalogue
    var replay: Replay?
    var fault: Fault
  }

  private var catalogue: Catalogue
  private let replay: Replay?
  private let clock: Clock
  private var fault: Fault
  /// The fault that becomes active after a number of further requests.
  private var later: (fault: Fault, requests: Int)?
  private var requests = 0
  private var notModified = 0

  /// Creates a world in its first state.
  public init(_ catalogue: Catalogue, replay: Replay?, clock: Clock, fault: Fault) {
    self.catalogue = catalogue
    self.replay = replay
    self.clock = clock
    self.fault = fault
  }

  /// A summary of the state.
  public var state: State {
    let month = SummaryFeed(level: .all, window: .month)
    return State(
      step: catalogue.step, generated: catalogue.generated, fault: fault.rawValue,
      requests: requests, notModified: notModified,
      events: replay == nil ? CatalogueEvents.count(of: month, in: catalogue) : nil,
      lastStep: catalogue.lastStep)
  }

  /// Takes one step and returns the new state.
  @discardableResult
  public func advance() -> State {
    switch clock {
    case .live: catalogue.advance(now: Int(Date().timeIntervalSince1970 * 1_000))
    case .steps: catalogue.advance(now: catalogue.generated + 60_000)
    }
    return state
  }

  /// Activates a fault; ``Fault/none`` deactivates it.
  /// - Parameters:
  ///   - fault: The fault.
  ///   - requests: The number of further requests that are answered before.
  @discardableResult
  public func turnOn(_ fault: Fault, after requests: Int = 0) -> State {
    later = requests > 0 ? (fault, requests) : nil
    if requests <= 0 { self.fault = fault }
    return state
  }

  func answer() -> Answer {
    requests += 1
    if let later {
      if later.requests == 0 { fault = later.fault }
      self.later = later.requests == 0 ? nil : (later.fault, later.requests - 1)
    }
    return Answer(catalogue: catalogue, replay: replay, fault: fault)
  }

  func countNotModified() { notModified += 1 }
}
