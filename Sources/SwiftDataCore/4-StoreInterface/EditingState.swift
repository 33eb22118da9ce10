import Foundation

/// Identifies the context that a data store's request comes from.
///
/// A context has one as long as it lives: ``DataStore/initializeState(for:)`` opens it and
/// ``DataStore/invalidateState(for:)`` closes it.
public struct EditingState: Identifiable, Sendable {
  /// Unique to the context.
  public let id: UUID
  /// The author of the changes; stores with a history record it there.
  public var author: String?

  package init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }

  /// A placeholder for requests that don't come from a context.
  package static let unknown = EditingState(
    id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}
