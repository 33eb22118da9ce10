import Foundation
import QuakesKit

/// Shows a feed's address without query, user name and password, which may be secrets.
enum FeedAddress {
  static func shown(_ selection: FeedSelection) -> String {
    if selection.isFile { return selection.url.path }
    guard var parts = URLComponents(url: selection.url, resolvingAgainstBaseURL: true) else {
      return selection.name
    }
    parts.query = nil
    parts.fragment = nil
    parts.user = nil
    parts.password = nil
    return parts.string ?? selection.name
  }
}
