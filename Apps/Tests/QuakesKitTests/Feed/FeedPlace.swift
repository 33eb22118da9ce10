import Foundation
import LocalCopy
import QuakesKit

@testable import TestSupport

/// A store, and the file that has the documents of a feed.
struct FeedPlace {
  let folder: TemporaryFolder
  let store: QuakeStore

  init(_ form: StoreForm) throws {
    let place = try TestStore(form)
    folder = place.folder
    store = try place.open()
  }

  /// Loads a document of a feed.
  /// - Parameters:
  ///   - features: The texts of the features.
  ///   - generated: The time of the document, in milliseconds since 1970.
  ///   - feed: The name of the feed in the document's metadata.
  ///   - count: The count in the document's metadata.
  @discardableResult
  func load(
    _ features: [String], generated: Int, feed: String = "all_week", count: Int? = nil,
    rule: MagnitudeRule = .aboveZero
  ) async throws -> RefreshReport {
    let url = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/\(feed).geojson"
    let text = """
      {"type":"FeatureCollection","metadata":{"generated":\(generated),"url":"\(url)",
      "status":200,"count":\(count ?? features.count)},"features":[\(features.joined(separator: ","))]}
      """
    let file = try folder.file("feed.json", text)
    return try await QuakeFeed(FeedSelection(file.path), into: store, rule: rule).copy
      .refresh(force: true)
  }
}
