import Foundation

/// The counts of an exchange.
public struct SyncReport: Hashable, Sendable {
  /// The number of edits that the server accepted.
  public var sent = 0
  /// The number of local changes that were made because of the server's changes.
  public var received = 0
  /// The number of quarantined edits, see ``SyncEngine/unsynced()``.
  public var quarantined = 0
  /// The number of resolved conflicts, see ``SyncEngine/conflicts(limit:)``.
  public var conflicts = 0

  /// The number of objects whose states the server may have lost, because its store was replaced by an older copy, as
  /// after a restored backup: they are compared anew, and sent again if the server lacks them.
  public var restored = 0

  /// Creates an empty report.
  public init() {}

  func since(_ earlier: SyncReport) -> SyncReport {
    var report = self
    report.sent -= earlier.sent
    report.received -= earlier.received
    report.quarantined -= earlier.quarantined
    report.conflicts -= earlier.conflicts
    report.restored -= earlier.restored
    return report
  }
}

extension SyncLedger {
  /// Applies the server's outcomes to changes in flight, and counts them.
  func acknowledge(
    _ outcomes: [String: SyncOutcome], now: Date, _ report: inout SyncReport
  ) throws {
    let known = Set(inFlight.map(\.change.id))
    report.conflicts += try acknowledge(outcomes, now: now).count
    report.received += lastReceived
    report.restored += lastRestored
    for (change, outcome) in outcomes where known.contains(change) {
      switch outcome {
      case .accepted: report.sent += 1
      case .rejected: report.quarantined += 1
      case .conflict: break
      }
    }
  }

  /// Applies a page of the server's changes, and counts them.
  func apply(_ incoming: SyncIncoming, now: Date, _ report: inout SyncReport) throws {
    report.conflicts += try apply(incoming, now: now).count
    report.received += lastReceived
    report.restored += lastRestored
  }
}
