import Foundation

/// The servers from which details of events are loaded: those that the events are from.
///
/// A feed names the addresses of details, and could name any: those of the machine's own network, or of another site.
/// Only addresses with the scheme, host and port of a source are used.
public struct DetailSources: Hashable, Sendable {
  /// The scheme, host and port of an address.
  private struct Origin: Hashable {
    var scheme: String
    var host: String
    var port: Int

    init?(_ url: URL) {
      guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
        let host = url.host()?.lowercased(), !host.isEmpty
      else { return nil }
      self.scheme = scheme
      self.host = host
      port = url.port ?? (scheme == "https" ? 443 : 80)
    }
  }

  /// The maximum length of an address, in bytes.
  private static let longest = 2_000

  private let origins: Set<Origin>

  /// - Parameter urls: The addresses of the feed and the event services; files have no server.
  public init(_ urls: [URL]) {
    var origins = Set(urls.compactMap { Origin($0) })
    // Servers with both usually send everybody to the encrypted one.
    for origin in origins where origin.scheme == "http" && origin.port == 80 {
      var encrypted = origin
      encrypted.scheme = "https"
      encrypted.port = 443
      origins.insert(encrypted)
    }
    self.origins = origins
  }

  /// Returns an address that a feed or a document names, if it may be loaded.
  /// - Parameters:
  ///   - text: The address, as sent.
  ///   - event: The identifier of the event.
  /// - Throws: ``DetailsError`` with the code `addressRefused`.
  func url(_ text: String, of event: String) throws(DetailsError) -> URL {
    guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      let url = URL(string: text), let origin = Origin(url)
    else { throw Self.refusal(event, "the feed names something that is no web address") }
    guard url.user() == nil, url.password() == nil else {
      throw Self.refusal(event, "the feed names an address with a user name")
    }
    guard origins.contains(origin) else {
      let host = PlainText.neutralised(String(origin.host.prefix(100)))
      let place = origin.port == (origin.scheme == "https" ? 443 : 80) ? "" : ":\(origin.port)"
      throw Self.refusal(
        event,
        "the feed names an address at \(origin.scheme)://\(host)\(place), which is not the feed's own"
          + " server")
    }
    return url
  }

  private static func refusal(_ event: String, _ reason: String) -> DetailsError {
    DetailsError(.addressRefused, event, reason: reason + "; it is not asked")
  }
}

extension QuakeStore {
  /// Returns the servers that the events of the store are from.
  /// - Parameters:
  ///   - feed: The feed that fills the store.
  ///   - service: An event service besides those of the store's back-fills.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func detailSources(
    feed: FeedSelection, service: EventService? = nil
  ) throws -> DetailSources {
    var urls = try loadedRanges().compactMap { URL(string: $0.service) }
    // The files of feeds that people keep are those of USGS.
    urls.append(feed.isFile ? EventService.usgs.url : feed.url)
    if let service { urls.append(service.url) }
    return DetailSources(urls)
  }
}
