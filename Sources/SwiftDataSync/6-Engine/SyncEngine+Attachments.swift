import Foundation
import SwiftDataCore

extension SyncEngine {
  /// The result of a push.
  struct Pushed: Sendable {
    var outcomes: [String: SyncOutcome] = [:]
    /// Changes that weren't sent because their attachments' bytes no longer exist locally.
    var lost: Set<String> = []
    /// Changes without an outcome that the server may have stored.
    var unanswered: [String] = []
  }

  /// Sends changes, except those with values that can't be sent.
  func send(_ changes: [SyncChange]) async throws -> Pushed {
    let unsendable = unsendable(among: changes)
    let rest = changes.filter { unsendable[$0.id] == nil }
    guard !rest.isEmpty else { return Pushed(outcomes: unsendable) }
    var pushed = try await sendWithAttachments(rest)
    pushed.outcomes.merge(unsendable) { first, _ in first }
    return pushed
  }

  /// Returns the outcomes of changes with values that have too many levels: a server would store the texts that stand
  /// for them.
  private func unsendable(among changes: [SyncChange]) -> [String: SyncOutcome] {
    var outcomes: [String: SyncOutcome] = [:]
    for change in changes {
      guard let values = change.values, let form = storage.access.forms[change.object.entity],
        let property = form.propertyBeyondDepth(in: values)
      else { continue }
      outcomes[change.id] = .rejected(
        SyncRejection(
          code: "tooDeep",
          message: "The value of “\(property)” has more than \(SyncJSON.maximumValueDepth) levels"))
    }
    return outcomes
  }

  /// Sends changes after their attachments.
  private func sendWithAttachments(_ changes: [SyncChange]) async throws -> Pushed {
    let client = ledger.progress.client
    guard let attachments else { return try await transmit(changes, client: client) }
    let references = changes.flatMap { change in
      storage.references(in: change.values, of: change.object)
        .map { (change: change.id, reference: $0) }
    }
    var obstacles = AttachmentExchange.Obstacles()
    if !references.isEmpty {
      do {
        obstacles = try await attachments.send(
          references,
          from: { try await self.portion(of: $0, from: $1, length: $2) },
          progress: { await self.note($0) })
      } catch let failure as SyncFailure {
        // None of the changes themselves was sent.
        throw SyncFailure(failure.kind, failure.message, isUnsent: true)
      }
    }
    var pushed = Pushed(
      outcomes: obstacles.refused.mapValues { .rejected($0) }, lost: obstacles.lost)
    let rest = changes.filter { pushed.outcomes[$0.id] == nil && !pushed.lost.contains($0.id) }
    guard !rest.isEmpty else { return pushed }
    let answer = try await transmit(rest, client: client)
    pushed.outcomes.merge(answer.outcomes) { first, _ in first }
    pushed.unanswered = answer.unanswered
    do { try await fetchAttachments(of: news(in: answer.outcomes, rest)) } catch {
      // The response counts whatever the error was: objects without their bytes wait, and the next pull reports the
      // error.
    }
    return pushed
  }

  /// Sends changes whose attachments the server has. The outcomes of a push that failed later count.
  private func transmit(_ changes: [SyncChange], client: String) async throws -> Pushed {
    do { return Pushed(outcomes: try await transport.push(changes, client: client)) } catch let
      failure as SyncFailure where !failure.outcomes.isEmpty
    {
      let rest = Set(changes.map(\.id)).subtracting(failure.outcomes.keys)
      return Pushed(outcomes: failure.outcomes, unanswered: failure.uncertain(among: rest))
    }
  }

  private func portion(
    of reference: SyncAttachmentReference, from offset: Int, length: Int
  ) throws -> [UInt8]? {
    try storage.portion(of: reference, from: offset, length: length)
  }

  /// Returns the objects of the server that the outcomes of changes contain.
  private func news(
    in outcomes: [String: SyncOutcome], _ changes: [SyncChange]
  ) -> [SyncRemote] {
    changes.compactMap { change in
      switch outcomes[change.id] {
      case .conflict(let remote):
        return SyncRemote(object: change.object, version: remote.version, values: remote.values)
      case .accepted(let version, let key, .some(let values)):
        return SyncRemote(
          object: SyncObjectID(change.object.entity, key ?? change.object.key), version: version,
          values: values)
      default: return nil
      }
    }
  }

  /// Fetches the attachments of the server's changes before they are stored; changes whose attachments can't be fetched
  /// wait for them.
  func fetchAttachments(of news: [SyncRemote]) async throws {
    guard let attachments else { return }
    let wanted = try storage.wantedAttachments(for: news)
    guard !wanted.isEmpty else { return }
    do {
      try await attachments.fetch(wanted) { [weak self] in await self?.note($0) }
    } catch let failure as SyncFailure where failure.kind == .offline {
      // The changes have arrived; their missing attachments are fetched when the server can be reached again.
    }
  }

  private func note(_ transfer: SyncTransfer) {
    let isComplete = transfer.completed >= transfer.byteCount
    self.transfer = isComplete ? nil : transfer
    // Counted once each, so that a server can't shorten the pauses with one attachment.
    if isComplete, machine.failures > 0, transferred.insert(transfer).inserted {
      tell(.transferred)
    } else {
      publish()
    }
  }

  /// Handles changes that weren't sent: they are created again from the current models, unless the server may have them
  /// already.
  func settle(lost: Set<String>, in outcomes: inout [String: SyncOutcome]) throws {
    transfer = nil
    guard !lost.isEmpty else { return }
    for change in lost where ledger.uncertain.contains(change) {
      outcomes[change] = .rejected(
        SyncRejection(
          code: "attachmentLost", message: "The bytes of an attachment aren't here any more"))
    }
    try ledger.withdraw(Array(lost))
  }

  /// Removes the files of attachments that are no longer needed. A page that is requested again needs those of the one
  /// that wasn't stored.
  func sweepAttachments() throws {
    transfer = nil
    guard attachments != nil, !ledger.lastPageIsOutdated else { return }
    try storage.sweepAttachments(
      partsSince: clock.now.addingTimeInterval(-attachmentLimits.pendingAge), fetched: fetched)
  }
}

extension SyncFailure {
  /// Returns the changes without an outcome that the server may have stored nevertheless: after a failure of another
  /// kind, it has stored none.
  func uncertain(among changes: Set<String>) -> [String] {
    guard !isUnsent, kind == .offline || kind == .server else { return [] }
    return Array(unanswered.map { changes.intersection($0) } ?? changes)
  }
}
