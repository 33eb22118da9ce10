import Foundation
import HTTPTypes

/// The header fields that every response carries.
package struct SecurityHeaders: Sendable {
  private let fields: [(HTTPField.Name, String)]

  /// - Parameters:
  ///   - tileStyle: The address of an online map style; resources of its origin may be loaded.
  ///   - asksForPosition: Whether the page itself, but nothing that it embeds, may ask the browser for the user's
  ///     position.
  ///   - frames: The origins of the pages that it shows in frames.
  ///   - framedBy: The origin of the only page that may show it in a frame; nil for none.
  package init(
    tileStyle: URL?, asksForPosition: Bool = false, frames: [String] = [], framedBy: String? = nil
  ) {
    let origin = tileStyle.flatMap(Self.origin).map { " " + $0 } ?? ""
    let policy =
      [
        "default-src 'none'", "script-src 'self'", "style-src 'self'",
        "img-src 'self' data: blob:\(origin)", "connect-src 'self'\(origin)",
        "worker-src 'self' blob:", "child-src blob:", "font-src 'self'", "manifest-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors \(framedBy ?? "'none'")",
      ] + (frames.isEmpty ? [] : ["frame-src \(frames.joined(separator: " "))"])
    var fields: [(HTTPField.Name, String)] = [
      (.contentSecurityPolicy, policy.joined(separator: "; ")),
      (.xContentTypeOptions, "nosniff"),
    ]
    for (name, value) in [
      ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      (
        "Permissions-Policy",
        "geolocation=(\(asksForPosition ? "self" : "")), camera=(), microphone=()"
      ),
    ] {
      if let name = HTTPField.Name(name) { fields.append((name, value)) }
    }
    self.fields = fields
  }

  /// Adds the fields to those of a response.
  package func add(to headers: inout HTTPFields) {
    for (name, value) in fields { headers[name] = value }
  }

  /// Returns `https://host[:port]` of an address (RFC 6454); `nil` if the address has no origin.
  package static func origin(_ url: URL) -> String? {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = url.host(percentEncoded: true), !host.isEmpty,
      !host.contains(where: { $0.isWhitespace || ";,'\"".contains($0) })
    else { return nil }
    return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
  }
}
