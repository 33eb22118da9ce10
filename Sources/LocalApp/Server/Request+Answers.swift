import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
  /// Refuses other methods than these.
  /// - Parameter methods: their names, as in an `Allow` field.
  package func allow(_ methods: String) throws(APIFailure) {
    guard methods.split(separator: ", ").contains(Substring(method.rawValue)) else {
      throw APIFailure.method(allowed: methods)
    }
  }

  /// The whole body.
  /// - Parameter limit: its largest size, in bytes.
  /// - Throws: ``APIFailure`` 413 when it is larger, 400 when the connection ends before it does.
  package func collected(upTo limit: Int) async throws -> Data {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw Self.tooLarge(limit)
    }
    let bytes: ByteBuffer
    do { bytes = try await body.collect(upTo: limit) } catch is NIOTooManyBytesError {
      throw Self.tooLarge(limit)
    } catch {
      // The client has gone, or was sent away for its slowness: no defect of the program.
      throw Self.incomplete
    }
    // A connection that ends in the middle looks like the end of the body.
    let announced = headers[.contentLength].flatMap { Int($0) }
    guard bytes.readableBytes >= announced ?? 0 else { throw Self.incomplete }
    return Data(bytes.readableBytesView)
  }

  private static var incomplete: APIFailure {
    APIFailure(.badRequest, "incomplete_body", "The body ended before its announced length.")
  }

  private static func tooLarge(_ limit: Int) -> APIFailure {
    APIFailure(.contentTooLarge, "body_too_large", "At most \(limit) bytes.")
  }

  /// Refuses a change unless it carries the header field that another site's page cannot send
  /// without a preflight, which is refused.
  /// - Parameter program: the field's value.
  package func requireOwnPage(of program: String) throws(APIFailure) {
    guard let name = HTTPField.Name("X-Requested-With"), headers[name] == program else {
      throw APIFailure(
        .forbidden, "missing_header", "Send the header field X-Requested-With: \(program).")
    }
  }
}

extension APIFailure {
  /// The answer to a request that is refused.
  package func response(to request: Request) throws -> Response {
    var response = try WebAnswer.json(body, status: status).response(to: request)
    if let allow { response.headers[.allow] = allow }
    if status == .serviceUnavailable { response.headers[.retryAfter] = "5" }
    return response
  }
}
