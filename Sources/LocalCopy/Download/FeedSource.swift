import Foundation
import SystemCrypto

/// The source of a feed: an address on the web or a file.
public enum FeedSource: Sendable, Hashable, Codable {
  /// An `http` or `https` address.
  case http(URL)
  /// A file; a gzip-compressed file is inflated while it is read.
  case file(URL)

  /// Creates a source from an address or a path.
  /// - Parameter text: an `http`, `https` or `file` URL, or else the path of a file.
  /// - Throws: ``LocalCopyError`` with the code `invalidSource`.
  public init(_ text: String) throws {
    guard !text.isEmpty else {
      throw Self.invalid("The source of the feed is empty")
    }
    let scheme = text.prefix { $0 != ":" }
    guard text.contains("://") else {
      self = .file(URL(filePath: text))
      return
    }
    guard let url = URL(string: text) else {
      throw Self.invalid("The address “\(text.printable(limit: 120))” is malformed")
    }
    guard ["http", "https", "file"].contains(scheme.lowercased()) else {
      throw Self.invalid("“\(String(scheme).printable(limit: 20))” addresses aren't supported")
    }
    try self.init(url)
  }

  /// Creates a source from a URL.
  /// - Parameter url: an `http`, `https` or `file` URL.
  /// - Throws: ``LocalCopyError`` with the code `invalidSource`, also when the URL contains a user name or a password:
  ///   send credentials in a header (``HTTPConfiguration/headers``) instead.
  public init(_ url: URL) throws {
    if url.isFileURL {
      self = .file(url)
      return
    }
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw Self.invalid("The source is neither an http(s) address nor a file")
    }
    guard let host = url.host(), !host.isEmpty else {
      throw Self.invalid("The address of the feed names no host")
    }
    guard url.user() == nil, url.password() == nil else {
      throw Self.invalid("The address of the feed contains a user name or a password")
    }
    self = .http(url)
  }

  private static func invalid(_ reason: String) -> LocalCopyError {
    LocalCopyError(
      .invalidSource, reason: reason,
      advice: "Give an address that begins with https:// or the path of a file.")
  }
}

extension FeedSource: CustomStringConvertible {
  /// The address without its query, which may hold a key, or the path of the file.
  public var description: String {
    switch self {
    case .file(let url): return url.path(percentEncoded: false)
    case .http(let url):
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
      parts?.query = nil
      parts?.fragment = nil
      parts?.user = nil
      parts?.password = nil
      return parts?.string ?? "\(url.scheme ?? "http")://\(url.host() ?? "")"
    }
  }

  /// The name under which the store records the feed: the address. A query, which may hold a key, is replaced by the
  /// SHA-256 of the whole address. Begin the name of a copy with it (``LocalCopyConfiguration/name``) where a feed has
  /// several copies: such a name has no key either.
  public var identity: String {
    switch self {
    case .file(let url): return url.standardizedFileURL.path(percentEncoded: false)
    case .http(let url):
      guard url.query(percentEncoded: true) != nil else { return url.absoluteString }
      let digest = SHA256Digest.bytes(of: url.absoluteString.utf8).hexadecimalText
      return "\(self) sha256=\(digest)"
    }
  }

  /// The name that earlier versions gave the feed, if it was different.
  package var formerIdentity: String? {
    guard case .http(let url) = self, url.query(percentEncoded: true) != nil else { return nil }
    return url.absoluteString
  }
}
