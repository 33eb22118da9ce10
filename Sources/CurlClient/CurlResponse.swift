/// The head of a response, and its content as it arrives.
package struct CurlResponse: Sendable {
  package let status: Int
  /// The words after the status; empty over HTTP/2.
  package let reason: String
  package let fields: HTTPFields
  package let body: CurlBody
}

/// The content of a response, for one reader.
///
/// Bytes wait for the reader up to a limit; after that the transfer pauses. A body that nobody holds any more
/// ends its transfer.
package final class CurlBody: Sendable {
  private let transfer: Transfer
  private let client: CurlClient

  init(_ transfer: Transfer, of client: CurlClient) {
    self.transfer = transfer
    self.client = client
  }

  deinit { client.end(transfer) }

  /// Returns the next bytes, at least one; nil after the last ones.
  /// - Throws: ``CurlError`` when the transfer fails, with the code `cancelled` when the task is cancelled.
  package func next() async throws(CurlError) -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { transfer.read($0) { self.client.resume(self.transfer) } }
    } onCancel: {
      client.end(transfer)
    }
    return try result.get()
  }

  /// Returns the whole content, or nil when it has more bytes than a limit.
  package func collect(upTo limit: Int) async throws(CurlError) -> [UInt8]? {
    var all: [UInt8] = []
    while let bytes = try await next() {
      guard all.count + bytes.count <= limit else { return nil }
      if all.isEmpty { all = bytes } else { all += bytes }
    }
    return all
  }
}
