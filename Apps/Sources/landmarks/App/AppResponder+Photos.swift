import Foundation
import HTTPContent
import HTTPTypes
import Hummingbird
import LandmarksKit
import LocalApp
import NIOCore

/// The photos of visits. They are sent as they are, with what belongs to them in the query.
extension AppResponder {
  func photo(
    _ text: Substring, _ parameters: [(name: String, value: String)], _ request: Request
  ) async throws -> Response {
    try request.allow("GET, HEAD, PUT, DELETE")
    let id = try Self.identifier(text)
    guard request.method == .put else {
      if let parameter = parameters.first {
        throw APIFailure.invalid(parameter.name, "There is no such parameter.")
      }
      guard request.method == .delete else { return try image(id, request) }
      try request.requireOwnPage(of: "landmarks")
      return try await make(.photoRemoval(id), request)
    }
    try request.requireOwnPage(of: "landmarks")
    let photo = try Self.photo(id, parameters)
    let data: Data
    do {
      data = try await request.collected(upTo: VisitPhoto.maximumByteCount)
    } catch let failure as APIFailure {
      guard failure.status == .contentTooLarge else { throw failure }
      throw LandmarksError(.invalidArgument, "photo", reason: VisitPhoto.tooLarge)
    }
    return try await make(.photo(photo, data), request)
  }

  /// Reads the parameters of a new photo.
  private static func photo(
    _ id: UUID, _ parameters: [(name: String, value: String)]
  ) throws(APIFailure) -> VisitPhoto {
    var (reservation, added, caption): (UUID?, Date?, String) = (nil, nil, "")
    for (name, value) in parameters {
      switch name {
      case "reservation":
        reservation = value.utf8.count == 36 ? UUID(uuidString: value) : nil
      case "added":
        guard value.utf8.count <= 20, let time = Double(value), abs(time) < 1e14 else {
          throw APIFailure.invalid(name, "Milliseconds since 1970.")
        }
        added = Date(timeIntervalSince1970: time / 1_000)
      case "caption": caption = value
      default: throw APIFailure.invalid(name, "There is no such parameter.")
      }
    }
    guard let reservation, let added else {
      throw APIFailure.invalid(
        reservation == nil ? "reservation" : "added", "A photo has a reservation and a time.")
    }
    return VisitPhoto(id: id, reservationID: reservation, added: added, caption: caption)
  }

  /// Returns a photo. Its type is that of its bytes, whatever sent it; without one of the known types, browsers don't
  /// show it. So is its entity tag, because a client of the server can replace the bytes of a photo.
  private func image(_ id: UUID, _ request: Request) throws -> Response {
    guard let (_, data) = try source.store.photo(id) else {
      throw APIFailure.notFound("There is no such photo.")
    }
    var hash = ContentHash()
    hash.combine(data)
    let tag = hash.entityTag
    var headers: HTTPFields = [.cacheControl: "private, no-cache", .eTag: tag]
    guard !Negotiation.matches(request.headers[.ifNoneMatch], tag: tag) else {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = PhotoImage(data)?.format.mediaType ?? "application/octet-stream"
    headers[.contentLength] = String(data.count)
    return Response(
      status: .ok, headers: headers,
      body: request.method == .head
        ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }
}
