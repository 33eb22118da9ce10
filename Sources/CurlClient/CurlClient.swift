/// Sends requests over HTTP with libcurl (https://curl.se/libcurl), whose connections it keeps for later requests.
///
/// It follows no redirect, decompresses nothing and sends no cookies. Servers are verified against the certificates of
/// the system. The environment can name a proxy (`https_proxy`, `http_proxy`, `no_proxy`), which isn't asked for
/// servers on this machine.
package final class CurlClient: Sendable {
  private let loop = TransferLoop()

  package init() {}

  deinit { loop.stop() }

  /// Sends a request, and returns when the head of the response is there.
  /// - Throws: ``CurlError``, with the code `cancelled` when the task is cancelled.
  package func send(_ request: CurlRequest) async throws(CurlError) -> CurlResponse {
    try request.check()
    let transfer = Transfer(request)
    let head = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transfer.awaitHead(continuation)
        loop.start(transfer)
      }
    } onCancel: {
      end(transfer)
    }
    let body = CurlBody(transfer, of: self)
    let (status, reason, fields) = try head.get()
    return CurlResponse(status: status, reason: reason, fields: fields, body: body)
  }

  func end(_ transfer: Transfer) {
    if transfer.finish(CurlError(.cancelled, "The request was cancelled")) { loop.end(transfer) }
  }

  func resume(_ transfer: Transfer) { loop.resume(transfer) }
}
