/// A page that is requested while the previous page is being stored, so that the network, the server and the parsing of
/// the response don't wait for the store.
///
/// It is used as the response to the next pull, as if it had been requested then. It is therefore useless when another
/// operation comes first: the page may contain an edit that is sent, and a comparison starts at another cursor. A
/// transport never gets two requests at the same time.
struct SyncReadAhead {
  typealias Answer = Result<SyncIncoming, SyncFailure>

  let request: SyncPageRequest
  let task: Task<Answer, Never>

  init(_ request: SyncPageRequest, _ transport: any SyncTransport, _ reader: IncomingReader) {
    self.request = request
    task = Task.detached { await request.page(transport, reader) }
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
}

extension SyncPageRequest {
  /// Requests the page and performs the processing that doesn't need the store.
  func page(_ transport: any SyncTransport, _ reader: IncomingReader) async -> SyncReadAhead.Answer
  {
    await SyncFailure.result {
      var incoming = reader.incoming(try await transport.pull(after: cursor, client: client))
      incoming.request = self
      return incoming
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
      return .failure(SyncFailure(.localStore, "The local store can't be used: \(error)"))
    } catch { return .failure(SyncFailure(.offline, "The server can't be reached: \(error)")) }
  }
}
