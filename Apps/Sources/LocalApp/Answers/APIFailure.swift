import HTTPTypes
import WireFormats

/// A request that is answered with an error, in the form that all errors of the API have.
package struct APIFailure: Error, Hashable {
  package let status: HTTPResponse.Status
  package let code: String
  package let message: String
  package var parameter: String?
  /// Values of the parameter that would be taken, in the API's form.
  package var choices: [String]?
  /// The methods for the `Allow` field of a 405 response.
  package var allow: String?
  /// The time in seconds after which the client may try again.
  package var retryAfter: Int?

  package init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, parameter: String? = nil,
    choices: [String]? = nil, allow: String? = nil, retryAfter: Int? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.parameter = parameter
    self.choices = choices
    self.allow = allow
    self.retryAfter = retryAfter
  }

  package static func invalid(_ parameter: String, _ message: String) -> APIFailure {
    APIFailure(.badRequest, "invalid_parameter", message, parameter: parameter)
  }

  package static func notFound(_ what: String) -> APIFailure {
    APIFailure(.notFound, "not_found", what)
  }

  package static func method(allowed: String) -> APIFailure {
    APIFailure(
      .methodNotAllowed, "method_not_allowed", "Only \(allowed) works here.", allow: allowed)
  }

  /// The JSON object.
  package var body: [UInt8] {
    var json = JSONWriter()
    json.raw(#"{"error":{"code":"#)
    json.string(code)
    if let parameter {
      json.raw(#","parameter":"#)
      json.string(parameter)
    }
    json.raw(#","message":"#)
    json.string(message)
    if let choices {
      json.raw(#","choices":["#)
      for (index, choice) in choices.enumerated() {
        if index > 0 { json.raw(",") }
        json.string(choice)
      }
      json.raw("]")
    }
    json.raw("}}")
    return json.bytes
  }
}
