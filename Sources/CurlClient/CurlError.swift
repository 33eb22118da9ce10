import CLibcurl

/// The failure of an exchange.
package struct CurlError: Error, Hashable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The request can't be sent: its address or a header field is invalid.
    case invalidRequest
    /// No connection was made: the name isn't known, nothing listens, or TLS failed.
    case unreachable
    /// No connection was made in the time for that.
    case connectTimeout
    /// Nothing was received or sent for the longest time allowed.
    case idleTimeout
    /// The exchange took longer than allowed.
    case totalTimeout
    /// The peer doesn't speak HTTP, or breaks its rules.
    case notHTTP
    /// The head of the response is larger than this module or the library takes.
    case headTooLarge
    /// The connection ended before the response was complete.
    case closed
    /// The task that waited was cancelled.
    case cancelled
  }

  package let code: Code
  /// The library's sentence.
  package let message: String
  /// Whether no byte of the request was sent.
  package var isUnsent = false

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

extension CurlError {
  /// Whether a result that ends a response's head is a limit of the library: former versions of it call a field that is
  /// too long a lack of memory, later ones have `CURLE_TOO_LARGE`, which earlier headers lack.
  static func isLimitOfHeads(_ result: CURLcode) -> Bool {
    result == CURLE_OUT_OF_MEMORY || result.rawValue == 100
  }

  /// Classifies a result of the library.
  /// - Parameter detail: the sentence that the library wrote for this transfer.
  init(_ result: CURLcode, detail: String, isConnected: Bool) {
    let code: Code =
      switch result {
      case CURLE_URL_MALFORMAT: .invalidRequest
      case CURLE_OPERATION_TIMEDOUT: isConnected ? .idleTimeout : .connectTimeout
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
        .notHTTP
      case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
        CURLE_HTTP2_STREAM:
        .closed
      // Also when an attempt before, on a connection that was kept, got further.
      case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
        CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION:
        .unreachable
      default: isConnected ? .closed : .unreachable
      }
    self.init(code, detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail)
  }
}
