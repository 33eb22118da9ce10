import SwiftDataCore
import Synchronization

/// The connection of a migration, lent to the contexts of a custom stage.
///
/// They see the migration's changes so far, and their saves are a part of its transaction.
final class MigrationStageConnection: Sendable {
  private struct State: ~Copyable, @unchecked Sendable {
    // Unchecked: a stage's code runs on the thread that migrates, one call at a time.
    var connection: Connection?
  }

  private let state: Mutex<State>

  init(_ connection: Connection) {
    nonisolated(unsafe) let connection = connection
    state = Mutex(State(connection: connection))
  }

  /// - Throws: ``MigrationError`` with the code `unavailableInStage` when the stage is over.
  var connection: Connection {
    get throws {
      nonisolated(unsafe) var connection: Connection?
      state.withLock { connection = $0.connection }
      guard let connection else {
        throw MigrationError(
          .unavailableInStage,
          explanation: "A context of a migration's stage was used after the stage. Fetch the models"
            + " anew, from a context of the container.")
      }
      return connection
    }
  }

  /// Takes the connection back.
  func end() { state.withLock { $0.connection = nil } }
}
