import Foundation
import SwiftData
import SwiftDataSync

/// A change of this device that the server doesn't have yet, and the reason.
public struct WaitingChange: Hashable, Sendable {
  /// The object that was changed.
  public enum Subject: Hashable, Sendable {
    case favorite(landmarkID: Int, isFavorite: Bool)
    case reservation(UUID, landmarkID: Int)
    case removal(UUID)
    /// A photo, and its visit.
    case photo(UUID, reservationID: UUID)
    case photoRemoval(UUID)
  }

  /// The reason why the server doesn't have the change.
  public enum Reason: Hashable, Sendable {
    /// The change is sent when the server can be reached.
    case waits
    /// The change was sent, and the answer hasn't arrived.
    case underWay
    /// The server refuses the change and gives a reason; the change stays on this device.
    case refused(String)
    /// The server fails whenever it receives the change, or has something that this version can't read.
    case troubled(String)
  }

  public var subject: Subject
  public var reason: Reason
  /// The time at which the change was set aside; nil for one that waits to be sent.
  public var date: Date?
  /// The dates that the server would take instead of that of a refused reservation.
  public var choices: [Date] = []

  /// The identifier of the changed object, as the page has it.
  public var identifier: String {
    switch subject {
    case .favorite(let id, _): "\(id)"
    case .reservation(let id, _), .removal(let id), .photo(let id, _), .photoRemoval(let id):
      id.uuidString
    }
  }
}

extension LandmarkStore {
  /// Returns the changes that the server doesn't have yet, for programs that don't exchange anything.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func waiting() async throws -> [WaitingChange] {
    // The bookkeeping is the same for every server, and no request is sent.
    guard let server = URL(string: API.baseURL) else { return [] }
    return try await LandmarkSync(self, server: server, token: { nil }).waiting()
  }
}

extension LandmarkSync {
  /// Returns the changes that the server doesn't have yet: each object once, however often it was changed.
  /// - Throws: ``LandmarksError/Code/storeFailure``.
  public func waiting() async throws -> [WaitingChange] {
    let unsynced: [(object: SyncObjectID, status: SyncObjectStatus)]
    do { unsynced = try await engine.unsynced() } catch { throw store.failure("read", error) }
    guard !unsynced.isEmpty else { return [] }
    return try store.working("read") { context in
      try unsynced.compactMap { object, status in
        guard let subject = try Self.subject(object, context) else { return nil }
        var change = WaitingChange(subject: subject, reason: .waits)
        switch status {
        case .underWay: change.reason = .underWay
        case .quarantined(let quarantine):
          change.reason = Self.reason(quarantine)
          change.date = quarantine.date
          if case .reservation = subject, case .rejected(let rejection) = quarantine.reason {
            change.choices = Self.choices(rejection.details)
          }
        default: break
        }
        return change
      }
    }
  }

  private static func subject(
    _ object: SyncObjectID, _ context: ModelContext
  ) throws -> WaitingChange.Subject? {
    switch object.entity {
    case landmark:
      guard let id = Int(object.key) else { return nil }
      let isFavorite = try LandmarkStore.stored(id, context)?.isFavorite ?? false
      return .favorite(landmarkID: id, isFavorite: isFavorite)
    case reservation:
      guard let id = UUID(uuidString: object.key) else { return nil }
      guard let stored: StoredReservation = try LandmarkStore.stored(id, context) else {
        return .removal(id)
      }
      return .reservation(id, landmarkID: stored.landmarkID)
    case photo:
      guard let id = UUID(uuidString: object.key) else { return nil }
      var descriptor = FetchDescriptor<StoredPhoto>(predicate: #Predicate { $0.remoteID == id })
      descriptor.propertiesToFetch = [\.remoteID, \.reservationID]
      guard let stored = try context.fetch(descriptor).first else { return .photoRemoval(id) }
      return .photo(id, reservationID: stored.reservationID)
    default: return nil
    }
  }

  private static func reason(_ quarantine: SyncQuarantine) -> WaitingChange.Reason {
    switch quarantine.reason {
    case .rejected(let rejection): .refused(rejection.message)
    case .failing(let message): .troubled("the server fails at it: \(message)")
    case .unreadable: .troubled("the server has it in a form that this version can't read")
    case .attachments: .troubled("a part of it couldn't be fetched yet")
    case .waits: .waits
    // None of the models has such rules; the library may support more than this version.
    case .denied(let other): .troubled("the server has deleted it, and \(other) here needs it")
    case .duplicate(let other, _): .troubled("it is the same as \(other) here")
    }
  }
}
