import Foundation
import HTTPTypes
import Hummingbird
import LandmarksKit
import LocalApp

/// The edits of the page. With the field `Idempotency-Key`, a repeated request has one effect; with `Landmarks-Store`,
/// the request is for one store only.
extension AppResponder {
  func favorite(_ text: Substring, _ request: Request) async throws -> Response {
    try allowChange("PUT, DELETE", request)
    guard text.utf8.count <= 18, let id = Int(text) else { throw Self.nothing }
    return try await make(.favorite(landmarkID: id, request.method == .put), request)
  }

  func reservation(_ text: Substring, _ request: Request) async throws -> Response {
    try allowChange("PUT, DELETE", request)
    let id = try Self.identifier(text)
    if request.method == .delete { return try await make(.removal(id), request) }
    struct Wish: Decodable {
      var landmarkID: Int?
      /// Milliseconds since 1970.
      var date: Double
      var note: String?
    }
    let wish = try await Self.body(
      Wish.self, request, "Send an object with date, and landmarkID and note for a new one.")
    guard wish.date.isFinite, abs(wish.date) < 1e14 else {
      throw APIFailure(.unprocessableContent, "invalid_date", "The date is out of range.")
    }
    let date = Date(timeIntervalSince1970: wish.date / 1_000)
    if let landmarkID = wish.landmarkID {
      let edit = LandmarkEdit.reservation(
        id, landmarkID: landmarkID, date: date, note: wish.note ?? "")
      return try await make(edit, request)
    }
    return try await make(.move(id, date: date), request)
  }

  func note(_ text: Substring, _ request: Request) async throws -> Response {
    try allowChange("PUT", request)
    let id = try Self.identifier(text)
    struct Wish: Decodable {
      var note: String
      /// The note that the user edited.
      var base: String?
    }
    let wish = try await Self.body(
      Wish.self, request, "Send an object with note, and base, the note that was edited.")
    return try await make(.note(id, wish.note, base: wish.base), request)
  }

  func caption(_ text: Substring, _ request: Request) async throws -> Response {
    try allowChange("PUT", request)
    let id = try Self.identifier(text)
    struct Wish: Decodable {
      var caption: String
    }
    let wish = try await Self.body(Wish.self, request, "Send an object with caption.")
    return try await make(.photoCaption(id, wish.caption), request)
  }

  func cancellation(_ text: Substring, _ request: Request) async throws -> Response {
    try allowChange("POST", request)
    return try await make(.cancellation(Self.identifier(text)), request)
  }

  func notice(
    _ text: Substring, _ parameters: [(name: String, value: String)], _ request: Request
  ) async throws -> Response {
    try allowChange("DELETE", request)
    let id = try Self.identifier(text)
    let made = try Self.made(parameters)
    try requireStore(request)
    // The notices aren't in the store's models, so the key is stored after the dismissal.
    let key = try Self.key(request)
    if let key, try source.store.isMade(key, now: source.clock.now) {
      return try await status(request)
    }
    try await source.sync.dismissNotice(of: id, made: made)
    if let key { try source.store.remember(key, now: source.clock.now) }
    source.edited()
    return try await status(request)
  }

  /// Returns the time of the notice that is dismissed; nil for all notices.
  private static func made(
    _ parameters: [(name: String, value: String)]
  ) throws(APIFailure) -> Date? {
    var made: Date?
    for (name, value) in parameters {
      guard name == "made" else { throw APIFailure.invalid(name, "There is no such parameter.") }
      guard value.utf8.count <= 20, let time = Double(value), abs(time) < 1e14 else {
        throw APIFailure.invalid(name, "Milliseconds since 1970.")
      }
      made = Date(timeIntervalSince1970: time / 1_000)
    }
    return made
  }

  private static func body<Wish: Decodable>(
    _ type: Wish.Type, _ request: Request, _ advice: String
  ) async throws -> Wish {
    let bytes = try await request.collected(upTo: maximumBody)
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch {
      throw APIFailure(.badRequest, "invalid_body", advice)
    }
  }

  func make(_ edit: LandmarkEdit, _ request: Request) async throws -> Response {
    try requireStore(request)
    try source.make(edit, key: Self.key(request))
    return try await status(request)
  }

  private func status(_ request: Request) async throws -> Response {
    try WebAnswer.json(await statusJSON()).response(to: request)
  }

  /// Refuses an edit that was made for another store, which this address served before.
  private func requireStore(_ request: Request) throws {
    guard let name = HTTPField.Name("Landmarks-Store"), let wanted = request.headers[name],
      try wanted != source.store.identifier()
    else { return }
    throw APIFailure(.conflict, "other_store", "The edit was made for another store.")
  }

  private static func key(_ request: Request) throws(APIFailure) -> EditKey? {
    guard let name = HTTPField.Name("Idempotency-Key"), let text = request.headers[name] else {
      return nil
    }
    guard text.utf8.count == 36, let id = UUID(uuidString: text),
      let key = EditKey(id, age: try age(request))
    else {
      throw APIFailure(.badRequest, "invalid_key", "An Idempotency-Key is a UUID of version 7.")
    }
    return key
  }

  /// Returns the age of an edit in seconds, as the page's clock tells it.
  private static func age(_ request: Request) throws(APIFailure) -> TimeInterval? {
    guard let name = HTTPField.Name("Landmarks-Age"), let text = request.headers[name] else {
      return nil
    }
    guard (1...12).contains(text.utf8.count), let age = Int(text), age >= 0 else {
      throw APIFailure(.badRequest, "invalid_age", "A Landmarks-Age is a number of seconds.")
    }
    return TimeInterval(age)
  }

  static func identifier(_ text: Substring) throws(APIFailure) -> UUID {
    guard text.utf8.count == 36, let id = UUID(uuidString: String(text)) else { throw nothing }
    return id
  }
}
