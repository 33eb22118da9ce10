import Foundation
import SwiftData
import SwiftDataSyncServer

/// A user's session: what a sign-in made.
@Model
final class ServedSession {
  #Index<ServedSession>([\.user], [\.lastUse])
  /// The SHA-256 digest of the token, which itself isn't kept.
  @Attribute(.unique) var digest: String
  var user: String
  /// What the user had at the sign-in; with another password, the session doesn't count any more.
  var credential: String
  var created: Date
  /// The time of the last use, up to ``ServedStore/usePrecision`` late.
  var lastUse: Date

  init(digest: String, user: String, credential: String, created: Date) {
    self.digest = digest
    self.user = user
    self.credential = credential
    self.created = created
    lastUse = created
  }
}

extension ServedStore {
  /// The time without use after which a session ends, in seconds: 90 days.
  static let sessionLifetime: TimeInterval = 90 * 86_400
  /// The time between two writes of a session's last use, in seconds.
  static let usePrecision: TimeInterval = 3_600
  /// The maximum number of a user's sessions; a further one ends the one that was used least recently.
  static let maximumSessions = 100

  /// Begins a session, and ends those of anybody that have expired.
  /// - Returns: Its token.
  func beginSession(of user: String, _ credential: String, now: Date) throws -> String {
    let context = ModelContext(container)
    let limit = now.addingTimeInterval(-Self.sessionLifetime)
    try context.delete(model: ServedSession.self, where: #Predicate { $0.lastUse < limit })
    let others = try context.fetch(
      FetchDescriptor<ServedSession>(
        predicate: #Predicate { $0.user == user && $0.lastUse >= limit },
        sortBy: [SortDescriptor(\.lastUse, order: .reverse)]))
    for session in others.dropFirst(Self.maximumSessions - 1) { context.delete(session) }
    let token = SyncTokens.random()
    context.insert(
      ServedSession(
        digest: SyncTokens.digestText(of: token), user: user, credential: credential, created: now))
    try context.save()
    return token
  }

  /// Returns the user of a session's token; nil when there is no such session, or it has ended.
  /// - Parameter credential: Returns what the sessions of a user have to have; nil for an unknown user.
  func user(
    of token: String, now: Date, _ credential: @Sendable (String) throws -> String?
  ) throws -> String? {
    let context = ModelContext(container)
    guard let session = try Self.session(token, context) else { return nil }
    guard try credential(session.user) == session.credential,
      session.lastUse >= now.addingTimeInterval(-Self.sessionLifetime)
    else {
      context.delete(session)
      try context.save()
      return nil
    }
    if abs(now.timeIntervalSince(session.lastUse)) >= Self.usePrecision {
      session.lastUse = now
      try context.save()
    }
    return session.user
  }

  /// Ends a session, if there is one.
  func endSession(_ token: String) throws {
    let context = ModelContext(container)
    guard let session = try Self.session(token, context) else { return }
    context.delete(session)
    try context.save()
  }

  /// The identifier of this server, which no other one has; nil without landmarks.
  func identifier() throws -> String? {
    var descriptor = FetchDescriptor<ServedLandmark>()
    descriptor.fetchLimit = 1
    return try ModelContext(container).fetchIdentifiers(descriptor).first?.storeIdentifier
  }

  private static func session(_ token: String, _ context: ModelContext) throws -> ServedSession? {
    let digest = SyncTokens.digestText(of: token)
    return try context.fetch(
      FetchDescriptor<ServedSession>(predicate: #Predicate { $0.digest == digest })
    ).first
  }
}
