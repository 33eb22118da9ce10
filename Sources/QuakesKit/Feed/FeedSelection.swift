import Foundation

/// Where events come from: one of USGS's feeds by name, any other address, or a file.
public struct FeedSelection: Hashable, Sendable {
  /// What to call it: the feed's name, or the last part of the address or path.
  public let name: String
  /// The address, or the file's `file:` URL.
  public let url: URL

  /// One of USGS's feeds.
  public init(_ feed: FeedName) {
    self.init(name: feed.description, url: feed.url)
  }

  /// What a person means by `text`: a feed's name, an `http:`, `https:` or `file:` address, or a
  /// path.
  /// - Parameters:
  ///   - text: for example `all_week`, `https://example.org/events.geojson` or
  /// `data/events.geojson`.
  ///   - folder: the folder that relative paths start from.
  /// - Throws: ``QuakesError`` when it is none of these, with the names of the feeds.
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

  /// Who writes a path means a file; the names of the feeds are no help then.
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
