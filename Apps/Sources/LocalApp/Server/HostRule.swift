/// A rule for the `Host` fields that are answered. A web page elsewhere can make a visitor's
/// browser send requests to this machine under a name of the page's own (DNS rebinding). Such
/// requests carry that name and are refused.
package struct HostRule: Sendable {
  private let boundHost: String
  private let otherNames: Set<String>
  private let takesAnyAddress: Bool

  /// Creates the rule of a server that listens on `boundHost`.
  /// - Parameters:
  ///   - boundHost: The host that the server was told to listen on.
  ///   - machineName: The machine's own name, allowed when the server listens on all addresses.
  package init(boundHost: String, machineName: String) {
    self.boundHost = boundHost.lowercased()
    // A server on all addresses doesn't know them, so any address is allowed: rebinding needs a
    // name.
    takesAnyAddress = ["0.0.0.0", "::", "*"].contains(self.boundHost)
    otherNames = takesAnyAddress ? ["localhost", machineName.lowercased()] : ["localhost"]
  }

  /// Returns whether requests with this `Host` field are answered.
  package func allows(_ field: String?) -> Bool {
    guard let host = field.flatMap(Self.host) else { return false }
    if host == boundHost || otherNames.contains(host) || host.hasSuffix(".localhost") {
      return true
    }
    if host == "::1" { return true }
    if let octets = Self.octets(host) { return takesAnyAddress || octets[0] == 127 }
    return takesAnyAddress && host.contains(":")
  }

  /// Returns the host of `host[:port]`, without port, brackets and a final dot; `nil` when the
  /// field is malformed.
  private static func host(_ field: String) -> String? {
    let text = field.lowercased()
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || isPort(rest) else { return nil }
      let address = text[text.index(after: text.startIndex)..<end]
      guard !address.isEmpty, address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
      else { return nil }
      return String(address)
    }
    let colon = text.firstIndex(of: ":") ?? text.endIndex
    guard colon == text.endIndex || isPort(text[colon...]) else { return nil }
    var name = text[..<colon]
    if name.hasSuffix(".") { name = name.dropLast() }
    guard !name.isEmpty,
      name.utf8.allSatisfy({
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || [0x2d, 0x2e, 0x5f].contains($0)
      })
    else { return nil }
    return String(name)
  }

  private static func isPort(_ text: some StringProtocol) -> Bool {
    text.first == ":" && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
      && (UInt16(text.dropFirst()) != nil || text.count == 1)
  }

  private static func octets(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let octets = parts.compactMap { UInt8($0) }
    return parts.count == 4 && octets.count == 4 ? octets : nil
  }
}
