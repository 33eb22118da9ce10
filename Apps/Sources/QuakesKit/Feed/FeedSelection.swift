import Foundation
import LocalCopy

/// The source of events: one of USGS's feeds by name, any other address, or a file.
public struct FeedSelection: Hashable, Sendable {
  /// The name for display: the feed's name, or the last part of the address or path.
  public let name: String
  /// The address, or the file's `file:` URL.
  public let url: URL

  /// Selects one of USGS's feeds.
  public init(_ feed: FeedName) {
    self.init(name: feed.description, url: feed.url)
  }

  /// Interprets a user's input: a feed's name, an `http:`, `https:` or `file:` address, or a path.
  /// - Parameters:
  ///   - text: The input, for example `all_week`, `https://example.org/events.geojson` or
  ///     `data/events.geojson`.
  ///   - folder: The folder that relative paths start from.
  /// - Throws: ``QuakesError``, with the names of the feeds, when the input is none of these.
  public init(
    _ text: String,
    relativeTo folder: URL = URL(
      fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
  ) throws {
    if let feed = FeedName(text) {
      self.init(feed)
      return
    }
    if text.contains("://") {
      self = try Self.address(text)
      return
    }
    let file = URL(fileURLWithPath: text, relativeTo: folder).standardizedFileURL
    var isFolder: ObjCBool = false
    guard !text.isEmpty,
      FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
      !isFolder.boolValue
    else { throw Self.unknown(text, file, isFolder: isFolder.boolValue) }
    self.init(name: file.deletingPathExtension().lastPathComponent, url: file)
  }

  /// Input that looks like a path is meant as a file; then the error doesn't list the names of the
  /// feeds.
  private static func unknown(_ text: String, _ file: URL, isFolder: Bool) -> QuakesError {
    let suffix = file.pathExtension
    if isFolder || text.contains("/") || !suffix.isEmpty && suffix.allSatisfy(\.isLetter) {
      return QuakesError(
        .noSuchFile, text,
        reason: isFolder ? "a folder, not a feed's file" : "there is no such file of a feed")
    }
    let names = FeedName.allNames.map(\.description).joined(separator: ", ")
    return QuakesError(
      .invalidArgument, text,
      reason: "not a feed's name, an address or a file that exists; the names are \(names)")
  }

  /// Whether events come from a file of this machine.
  public var isFile: Bool { url.isFileURL }

  /// Returns an error of this feed with the advice for it: a file that isn't a feed doesn't become one later.
  public func explained(_ error: LocalCopyError) -> LocalCopyError {
    if error.code == .timedOut {
      // The advice for programs is a longer time, which no option gives.
      var error = error
      error.advice = "Nothing was changed; try again later."
      return error
    }
    guard isFile, [.malformedDocument, .notJSON, .elementsNotFound].contains(error.code) else {
      return error
    }
    var error = error
    error.advice =
      "The file isn't a feed, and nothing was changed. A feed is a GeoJSON document, "
      + #"{"type": "FeatureCollection", "features": [...]}, as from "#
      + "https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php."
    return error
  }

  private static func address(_ text: String) throws -> FeedSelection {
    guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
      throw QuakesError(.invalidArgument, text, reason: "not a valid address")
    }
    switch scheme {
    case "http", "https":
      guard let host = url.host(), !host.isEmpty else {
        throw QuakesError(.invalidArgument, text, reason: "the address names no host")
      }
      let last = url.deletingPathExtension().lastPathComponent
      return FeedSelection(name: last.isEmpty || last == "/" ? host : last, url: url)
    case "file":
      return FeedSelection(name: url.deletingPathExtension().lastPathComponent, url: url)
    default:
      throw QuakesError(
        .invalidArgument, text, reason: "only http:, https: and file: addresses can be read")
    }
  }

  private init(name: String, url: URL) {
    self.name = name
    self.url = url
  }
}
