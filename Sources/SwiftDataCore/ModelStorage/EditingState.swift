import Foundation

/// Tells a data store which context a request comes from.
///
/// A context has one as long as it lives: ``DataStore/initializeState(for:)`` opens it and
/// ``DataStore/invalidateState(for:)`` closes it.
public struct EditingState: Identifiable, Sendable {
  /// Unique to the context.
  public let id: UUID
  /// Who makes the changes; stores that keep a history write it there.
  public var author: String?

  package init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }

  /// Stands where no context asks.
  package static let unknown = EditingState(
    id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}
