/// A deliberate fault of the demo feed.
public enum Fault: String, CaseIterable, Sendable {
  /// No fault.
  case none
  /// 400, as for a parameter that the server doesn't know.
  case badRequest = "400"
  /// 404.
  case notFound = "404"
  /// 413, as for an answer that would be too large.
  case tooLarge = "413"
  /// 429 with `Retry-After`.
  case tooManyRequests = "429"
  /// 500.
  case serverError = "500"
  /// 503 with `Retry-After`.
  case unavailable = "503"
  /// The request is received and never answered.
  case timeout
  /// The connection ends in the middle of the body.
  case truncated
  /// `Content-Encoding: gzip` over bytes that are not gzip after a valid start.
  case badGzip = "bad-gzip"
  /// The document breaks JSON's grammar near its end.
  case malformed
  /// The document is JSON, but one of its features has values of wrong types.
  case malformedFeature = "malformed-feature"
  /// The body arrives a few bytes at a time.
  case slowDrip = "slow-drip"
  /// 200 with a web page, as captive portals respond.
  case html

  /// Returns the fault with the given name.
  /// - Throws: ``DemoFeedError`` that lists the names when the name is unknown.
  public init(named name: String) throws {
    guard let fault = Fault(rawValue: name) else {
      let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
      throw DemoFeedError(.unknownFault, name, reason: "one of: \(names)")
    }
    self = fault
  }
}
