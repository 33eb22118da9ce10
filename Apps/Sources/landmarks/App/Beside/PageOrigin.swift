import ArgumentParser
import Foundation
import LocalApp

/// The origin of a page (RFC 6454), such as `http://127.0.0.1:8091`.
struct PageOrigin: Hashable, Sendable {
  /// Scheme, host and port, if it isn't the scheme's own.
  let text: String

  /// Reads the address of a page without path.
  /// - Throws: `ValidationError` for anything else.
  init(text: String) throws {
    guard let url = URL(string: text), let origin = SecurityHeaders.origin(url),
      url.user() == nil, url.password() == nil, url.query() == nil, url.fragment() == nil,
      ["", "/"].contains(url.path()), origin.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
      !origin.contains(where: { "<>&*".contains($0) })
    else { throw ValidationError("Use a page's address, such as http://127.0.0.1:8091.") }
    self.text = origin
  }
}
