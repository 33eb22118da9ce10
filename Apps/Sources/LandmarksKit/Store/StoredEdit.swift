import Foundation
import SwiftData

/// An edit that the store has made, so that a repeated delivery of it changes nothing.
@Model
final class StoredEdit {
  #Index<StoredEdit>([\.stored])

  /// The identifier of its ``EditKey``.
  @Attribute(.unique) var key: UUID
  /// The time at which the store made it.
  var stored: Date

  init(key: UUID, stored: Date) {
    self.key = key
    self.stored = stored
  }
}
