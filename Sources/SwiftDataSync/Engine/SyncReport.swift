import Foundation

/// What an exchange has done.
public struct SyncReport: Hashable, Sendable {
  /// Edits that the server took.
  public var sent = 0
  /// Changes of models here that the server's news made.
  public var received = 0
  /// Edits that were set aside, see ``SyncEngine/unsynced()``.
  public var setAside = 0
  /// Conflicts that were decided, see ``SyncEngine/conflicts(limit:)``.
  public var conflicts = 0

  public init() {}

  func since(_ earlier: SyncReport) -> SyncReport {
    var report = self
    report.sent -= earlier.sent
    report.received -= earlier.received
    report.setAside -= earlier.setAside
    report.conflicts -= earlier.conflicts
    return report
  }
}

extension SyncLedger {
  /// Takes what the server said to changes in flight, and counts.
  func acknowledge(
    _ outcomes: [String: SyncOutcome], now: Date, _ report: inout SyncReport
  ) throws {
    let known = Set(inFlight.map(\.change.id))
    report.conflicts += try acknowledge(outcomes, now: now).count
    report.received += lastReceived
    for (change, outcome) in outcomes where known.contains(change) {
      switch outcome {
      case .accepted: report.sent += 1
      case .rejected: report.setAside += 1
      case .conflict: break
      }
    }
  }

  /// Takes a page of the server's changes, and counts.
  func apply(_ incoming: SyncIncoming, now: Date, _ report: inout SyncReport) throws {
    report.conflicts += try apply(incoming, now: now).count
    report.received += lastReceived
  }
}
