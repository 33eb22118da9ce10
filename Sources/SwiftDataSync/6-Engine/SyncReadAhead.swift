/// A page that is requested while the previous page is being stored, so that the network, the server and the parsing of
/// the response don't wait for the store.
///
/// It is used as the response to the next pull, as if it had been requested then. It is therefore useless when another
/// operation comes first: the page may contain an edit that is sent, and a comparison starts at another cursor. A
/// transport never gets two requests at the same time.
struct SyncReadAhead {
  typealias Answer = Result<SyncIncoming, SyncFailure>

  /// The arguments of the request.
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

  /// The result of the request; cancelling the task that waits for it cancels the request.
  var answer: Answer {
    get async {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: { [task] in
        task.cancel()
      }
    }
  }

  /// Requests a page and performs the processing that doesn't need the store.
  static func page(
    after cursor: String?, client: String, _ transport: any SyncTransport, _ reader: IncomingReader
  ) async -> Answer {
    await SyncFailure.result {
      reader.incoming(try await transport.pull(after: cursor, client: client))
    }
  }
}

extension SyncFailure {
  /// Returns the result of an exchange; an error of an unknown type means that the server can't be reached.
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
