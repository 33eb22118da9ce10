/// A page that was asked for while the one before it is being stored, so that the network, the server and the reading
/// of what it sends don't wait for the store.
///
/// It is the answer to the pull that follows, as if it had been asked for then. So it is good for nothing when something
/// else comes first: an edit that is sent may be a part of it, and a comparison begins elsewhere. A transport is never
/// asked for two things at once.
struct SyncReadAhead {
  typealias Answer = Result<SyncIncoming, SyncFailure>

  /// What it was asked for with.
  private let cursor: String?
  private let client: String
  let task: Task<Answer, Never>

  init(
    after cursor: String?, client: String, _ transport: any SyncTransport, _ reader: IncomingReader
  ) {
    (self.cursor, self.client) = (cursor, client)
    task = Task.detached {
      await Self.page(after: cursor, client: client, transport, reader)
    }
  }

  func answers(after cursor: String?, client: String) -> Bool {
    self.cursor == cursor && self.client == client
  }

  /// Ends with the task that waits for it.
  var answer: Answer {
    get async {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: { [task] in
        task.cancel()
      }
    }
  }

  /// Asks for a page and does with it what needs no store.
  static func page(
    after cursor: String?, client: String, _ transport: any SyncTransport, _ reader: IncomingReader
  ) async -> Answer {
    await SyncFailure.result {
      reader.incoming(try await transport.pull(after: cursor, client: client))
    }
  }
}

extension SyncFailure {
  /// What came of an exchange; an error that says nothing else is a server that can't be reached.
  package static func result<Success: Sendable>(
    _ body: () async throws -> Success
  ) async -> Result<Success, SyncFailure> {
    do { return .success(try await body()) } catch let failure as SyncFailure {
      return .failure(failure)
    } catch let error as SyncError {
      return .failure(SyncFailure(.incompatible, "The local store can't be used: \(error)"))
    } catch { return .failure(SyncFailure(.offline, "The server can't be reached: \(error)")) }
  }
}
