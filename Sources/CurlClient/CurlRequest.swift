import Foundation

/// A request over HTTP.
package struct CurlRequest: Sendable {
  package var method = "GET"
  /// The absolute address.
  package var url: String
  package var fields = HTTPFields()
  /// The content; nil for none.
  package var body: [UInt8]?
  /// The longest time to establish a connection, TLS included.
  package var connectTimeout: Duration = .seconds(10)
  /// The longest time on a connection without received or sent bytes, while the reader of the body waits; nil for no
  /// limit.
  package var idleTimeout: Duration?
  /// The longest time for the whole exchange; nil for no limit.
  package var totalTimeout: Duration?

  package init(_ url: String) { self.url = url }
}

extension CurlRequest {
  /// - Throws: ``CurlError`` for a request that can't be sent as it is.
  func check() throws(CurlError) {
    guard let parsed = URL(string: url), let scheme = parsed.scheme?.lowercased(),
      scheme == "http" || scheme == "https", parsed.host()?.isEmpty == false,
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw CurlError(.invalidRequest, "The address is none of HTTP") }
    guard HTTPFields.Field(name: method, value: "").isValid else {
      throw CurlError(.invalidRequest, "The method isn't a word of letters")
    }
    for field in fields.all where !field.isValid {
      throw CurlError(
        .invalidRequest, "The header field \(field.name.debugDescription) has an invalid character")
    }
  }

  /// Whether the server is on this machine, where no proxy is asked.
  var isLocal: Bool {
    guard let host = URL(string: url)?.host()?.lowercased() else { return false }
    return host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
  }
}
