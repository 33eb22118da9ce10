import WireFormats

/// The GeoJSON document of a summary feed or of an answer of the event service, written in pieces of
/// about 64 KiB.
struct FeedDocument: Sequence, IteratorProtocol {
  static let pieceSize = 64 * 1_024
  /// The server of the real feeds.
  static let usgs = "https://earthquake.usgs.gov"

  /// The document's metadata.
  struct Head: Sendable {
    /// The time at which the document is made, in milliseconds since 1970.
    var generated: Int
    /// The path and the query of the document's address.
    var target: String
    var title: String
    /// The number of features, which is written before them.
    var count: Int
    /// The seed of the events.
    var seed: UInt64
    /// The scheme, host and port of the server that has the detail documents.
    var server: String
    /// The limit and the offset of the event service's query.
    var part: (limit: Int?, offset: Int)?
  }

  private enum Stage { case head, features, tail, done }

  private var stage = Stage.head
  private let head: Head
  private var events: any IteratorProtocol<SyntheticEvent> & Sendable
  private var box = BoundingBox()
  private var json = JSONWriter()
  private var written = 0
  private let malformedFeature: Int?

  /// - Parameters:
  ///   - feed: The feed.
  ///   - catalogue: The state that the feed shows.
  ///   - server: The scheme, host and port of the server that has the detail documents.
  ///   - malformedFeature: The index of a feature to write with properties of wrong types.
  init(
    _ feed: SummaryFeed, of catalogue: Catalogue, server: String = Self.usgs,
    malformedFeature: Int? = nil
  ) {
    let head = Head(
      generated: catalogue.generated, target: feed.path, title: feed.title,
      count: CatalogueEvents.count(of: feed, in: catalogue), seed: catalogue.seed, server: server)
    self.init(
      head, CatalogueEvents(of: feed, in: catalogue), malformedFeature: malformedFeature)
  }

  /// Creates the document of any events.
  init(
    _ head: Head, _ events: any IteratorProtocol<SyntheticEvent> & Sendable,
    malformedFeature: Int? = nil
  ) {
    self.head = head
    self.events = events
    self.malformedFeature = malformedFeature
  }

  /// Returns the next piece; `nil` after the last.
  mutating func next() -> [UInt8]? {
    guard stage != .done else { return nil }
    while json.bytes.count < Self.pieceSize && stage != .done { writeSome() }
    return json.take()
  }

  private mutating func writeSome() {
    switch stage {
    case .head:
      writeHead()
      stage = .features
    case .features:
      guard let event = events.next() else {
        stage = .tail
        return
      }
      if written > 0 { json.raw(",\n") }
      if written == malformedFeature {
        json.raw(
          #"{"type":"Feature","properties":{"mag":"strong","time":null},"geometry":[],"id":7}"#)
      } else {
        json.feature(SyntheticProducts(event, seed: head.seed), from: head.server)
      }
      box.include(event)
      written += 1
    case .tail:
      json.raw("]")
      box.write(to: &json)
      json.raw("}")
      stage = .done
    case .done:
      break
    }
  }

  private mutating func writeHead() {
    json.raw(#"{"type":"FeatureCollection","metadata":{"generated":"#)
    json.integer(head.generated)
    json.raw(#","url":"#)
    json.string(Self.usgs + head.target)
    json.raw(#","title":"#)
    json.string(head.title)
    json.raw(#","status":200,"api":"1.14.1","#)
    if let part = head.part {
      if let limit = part.limit {
        json.raw(#""limit":"#)
        json.integer(limit)
        json.raw(",")
      }
      json.raw(#""offset":"#)
      json.integer(part.offset)
      json.raw(",")
    }
    json.raw(#""count":"#)
    json.integer(head.count)
    json.raw(#"},"features":["#)
  }
}

/// The smallest box around all epicentres: the document's `bbox` (RFC 7946, section 5), which an
/// empty feed doesn't have.
private struct BoundingBox {
  private var lowest: (longitude: Int, latitude: Int, depth: Int)?
  private var highest = (longitude: 0, latitude: 0, depth: 0)

  mutating func include(_ event: SyntheticEvent) {
    let depth = event.depth ?? 0
    guard let low = lowest else {
      lowest = (event.longitude, event.latitude, depth)
      highest = (event.longitude, event.latitude, depth)
      return
    }
    lowest = (
      Swift.min(low.longitude, event.longitude), Swift.min(low.latitude, event.latitude),
      Swift.min(low.depth, depth)
    )
    highest = (
      Swift.max(highest.longitude, event.longitude), Swift.max(highest.latitude, event.latitude),
      Swift.max(highest.depth, depth)
    )
  }

  func write(to json: inout JSONWriter) {
    guard let lowest else { return }
    json.raw(#","bbox":["#)
    json.decimal(lowest.longitude, places: 4)
    json.raw(",")
    json.decimal(lowest.latitude, places: 4)
    json.raw(",")
    json.decimal(lowest.depth, places: 2)
    json.raw(",")
    json.decimal(highest.longitude, places: 4)
    json.raw(",")
    json.decimal(highest.latitude, places: 4)
    json.raw(",")
    json.decimal(highest.depth, places: 2)
    json.raw("]")
  }
}
