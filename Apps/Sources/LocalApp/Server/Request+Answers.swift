import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
  /// Throws if the request's method isn't one of these.
  /// - Parameter methods: The names of the methods, as in an `Allow` field.
  package func allow(_ methods: String) throws(APIFailure) {
    guard methods.split(separator: ", ").contains(Substring(method.rawValue)) else {
      throw APIFailure.method(allowed: methods)
    }
  }

  /// Returns the whole body.
  /// - Parameter limit: The maximum size of the body, in bytes.
  /// - Throws: ``APIFailure`` 413 when it is larger, 400 when the connection ends before it does.
  package func collected(upTo limit: Int) async throws -> Data {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
      throw Self.tooLarge(limit)
    }
    let bytes: ByteBuffer
    do { bytes = try await body.collect(upTo: limit) } catch is NIOTooManyBytesError {
      throw Self.tooLarge(limit)
    } catch {
      // The client closed the connection, or the server closed it because it was too slow: not an
      // error of the program.
      throw Self.incomplete
    }
    // A connection that ends within the body looks like the end of the body.
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

  /// Refuses a change unless the request has the header field `X-Requested-With`. Another site's
  /// page can't send the field without a preflight, which is refused.
  /// - Parameter program: The required value of the field.
  package func requireOwnPage(of program: String) throws(APIFailure) {
    guard let name = HTTPField.Name("X-Requested-With"), headers[name] == program else {
      throw APIFailure(
        .forbidden, "missing_header", "Send the header field X-Requested-With: \(program).")
    }
  }
}

extension APIFailure {
  /// Returns the error response to a refused request.
  package func response(to request: Request) throws -> Response {
    var response = try WebAnswer.json(body, status: status).response(to: request)
    if let allow { response.headers[.allow] = allow }
    if let retryAfter {
      response.headers[.retryAfter] = "\(retryAfter)"
    } else if status == .serviceUnavailable {
      response.headers[.retryAfter] = "5"
    }
    return response
  }
}
