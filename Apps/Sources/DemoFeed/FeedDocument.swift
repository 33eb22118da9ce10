import WireFormats

/// The GeoJSON document of one summary feed, written in pieces of about 64 KiB.
struct FeedDocument: Sequence, IteratorProtocol {
  static let pieceSize = 64 * 1_024

  private enum Stage { case head, features, tail, done }

  private var stage = Stage.head
  private let feed: SummaryFeed
  private let catalogue: Catalogue
  private let count: Int
  private var events: CatalogueEvents
  private var box = BoundingBox()
  private var json = JSONWriter()
  private var written = 0
  private let malformedFeature: Int?

  /// - Parameters:
  ///   - feed: The feed.
  ///   - catalogue: The state that the feed shows.
  ///   - malformedFeature: The index of a feature to write with properties of wrong types.
  init(_ feed: SummaryFeed, of catalogue: Catalogue, malformedFeature: Int? = nil) {
    self.feed = feed
    self.catalogue = catalogue
    self.malformedFeature = malformedFeature
    events = CatalogueEvents(of: feed, in: catalogue)
    // The count is written before the features.
    count = CatalogueEvents.count(of: feed, in: catalogue)
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
        json.feature(event)
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
    json.integer(catalogue.generated)
    json.raw(#","url":"#)
    json.string("https://earthquake.usgs.gov" + feed.path)
    json.raw(#","title":"#)
    json.string(feed.title)
    json.raw(#","status":200,"api":"1.14.1","count":"#)
    json.integer(count)
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
