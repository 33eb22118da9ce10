import Foundation

/// Decides which redirects are followed (RFC 9110 section 15.4). A feed's address is a promise
/// about which server responds, so every hop is checked.
package struct RedirectRules {
  private let maximum: Int
  private let allowedHosts: Set<String>?
  private let staysAtOrigin: Bool
  private let origin: URL
  private var visited: Set<URL>

  package init(
    from origin: URL, maximum: Int, allowedHosts: Set<String>?, staysAtOrigin: Bool = false
  ) {
    self.origin = origin
    self.staysAtOrigin = staysAtOrigin
    self.maximum = maximum
    self.allowedHosts = allowedHosts.map { Set($0.map { $0.lowercased() }) }
    visited = [origin]
  }

  /// Whether an address has the same scheme, host and port as the feed.
  package func isSameOrigin(_ url: URL) -> Bool {
    url.scheme?.lowercased() == origin.scheme?.lowercased()
      && url.host()?.lowercased() == origin.host()?.lowercased()
      && url.effectivePort == origin.effectivePort
  }

  /// Returns the next address to request.
  /// - Parameters:
  ///   - location: the `Location` header of the response.
  ///   - current: the address that sent the response.
  /// - Returns: the next address.
  /// - Throws: ``LocalCopyError`` with the code `redirectRefused`.
  package mutating func next(location: String?, from current: URL) throws -> URL {
    guard let location, let url = URL(string: location, relativeTo: current)?.absoluteURL else {
      throw refused("a redirect without a valid address")
    }
    let scheme = url.scheme?.lowercased() ?? ""
    guard scheme == "http" || scheme == "https", let host = url.host()?.lowercased(), !host.isEmpty
    else {
      throw refused("a redirect to an address that is not http(s)")
    }
    guard current.scheme?.lowercased() != "https" || scheme == "https" else {
      throw refused("a redirect from https to http, which anyone on the way could read and change")
    }
    guard url.user() == nil, url.password() == nil else {
      throw refused("a redirect to an address with a user name")
    }
    if let allowedHosts, host != origin.host()?.lowercased(), !allowedHosts.contains(host) {
      throw refused("a redirect to the host \(host.printable(limit: 100)), which is not allowed")
    }
    guard !staysAtOrigin || isSameOrigin(url) else {
      throw refused("a redirect to another server, \(host.printable(limit: 100))")
    }
    guard visited.insert(url).inserted else { throw refused("a redirect in a circle") }
    guard visited.count - 1 <= maximum else { throw refused("more than \(maximum) redirects") }
    return url
  }

  private func refused(_ what: String) -> LocalCopyError {
    LocalCopyError(
      .redirectRefused, reason: "The server answered with \(what)",
      advice: "Check the address of the feed; it may have moved.")
  }
}

extension URL {
  fileprivate var effectivePort: Int {
    port ?? (scheme?.lowercased() == "https" ? 443 : 80)
  }
}
