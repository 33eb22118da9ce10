import Foundation
import HTTPTypes
import Hummingbird
import LocalApp
import QuakesKit

/// `GET /api/export`: all events that match a filter, in a format for other programs. The events are read and sent part
/// by part: of all, memory has only the identifiers of their rows, two words each, for as long as the client reads.
struct EventExport {
  /// The usual number of entries of an Atom feed, which readers load again and again.
  private static let usualEntries = 200

  private let format: EventFormat
  private let query: EventQuery
  private let source: any QuakeSource

  /// - Parameters:
  ///   - parameters: `format`, the name of an ``EventFormat``, and those of `GET /api/events`, without `offset`. All
  ///     events are sent without `limit`, of an Atom feed the first 200.
  /// - Throws: ``APIFailure`` 400 that names the parameter.
  init(
    _ parameters: [(name: String, value: String)], source: any QuakeSource, now: Date
  ) throws(APIFailure) {
    var format: EventFormat?
    var others: [(name: String, value: String)] = []
    for (name, value) in parameters {
      guard name == "format" else {
        others.append((name, value))
        continue
      }
      guard format == nil else { throw APIFailure.invalid(name, "Give it once.") }
      format = EventFormat(rawValue: value)
      guard format != nil else { break }
    }
    guard let format else {
      let formats = EventFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw APIFailure.invalid("format", "One of: \(formats).")
    }
    self.format = format
    self.source = source
    query = try EventParameters(export: others, now: now).query
  }

  /// Returns the response.
  func response(to request: Request) -> Response {
    let headers: HTTPFields = [
      .contentType: format.mediaType, .cacheControl: "no-store",
      .contentDisposition: "attachment; filename=\"earthquakes.\(format.fileExtension)\"",
    ]
    guard request.method != .head else { return Response(status: .ok, headers: headers) }
    let body = ResponseBody { writer in
      var events = EventWriter(format)
      try await writer.write(ByteBuffer(bytes: events.opening))
      var query = query
      if query.limit == nil, format == .atom { query.limit = Self.usualEntries }
      var cursor = try await source.cursor(query)
      while let part = try cursor.next() {
        var bytes: [UInt8] = []
        for event in part { bytes += events.bytes(event) }
        try await writer.write(ByteBuffer(bytes: bytes))
      }
      try await writer.write(ByteBuffer(bytes: events.closing))
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }
}
