import Foundation
import HTTPTypes
import Hummingbird
import LandmarksKit
import LocalApp

/// Sign-in and sign-out of the page.
extension AppResponder {
  private struct Wish: Decodable {
    var user: String
    var password: String
  }

  func session(_ request: Request) async throws -> Response {
    try allowChange("POST, DELETE", request)
    do {
      if request.method == .delete {
        _ = try await source.signOut()
      } else {
        let wish = try await credentials(request)
        try await source.signIn(wish.user, wish.password)
      }
    } catch let error as LandmarksError {
      let status: HTTPResponse.Status
      switch error.code {
      case .unauthorized: status = .unauthorized
      case .serverUnavailable: status = .badGateway
      case .badAnswer: status = .badGateway
      default: throw error
      }
      throw APIFailure(status, "refused", Self.sentence(error.description))
    }
    return try WebAnswer.json(await statusJSON()).response(to: request)
  }

  private func credentials(_ request: Request) async throws -> Wish {
    // The page's own connection isn't encrypted.
    guard let host = request.head.authority?.lowercased(),
      AppSource.isLoopback(Self.name(of: host))
    else {
      throw APIFailure(
        .forbidden, "not_here",
        "The password would cross the network unencrypted; use `landmarks sign-in` on the machine of this program."
      )
    }
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw APIFailure(.unsupportedMediaType, "unsupported_media_type", "Send application/json.")
    }
    let bytes = try await request.collected(upTo: 8_192)
    let wish: Wish
    do { wish = try JSONDecoder().decode(Wish.self, from: bytes) } catch {
      throw APIFailure(.badRequest, "invalid_body", "Send an object with user and password.")
    }
    guard (1...400).contains(wish.user.utf8.count), !wish.password.isEmpty else {
      throw APIFailure(.unprocessableContent, "incomplete", "Type a name and a password.")
    }
    return wish
  }

  /// Returns the host of `host[:port]`.
  private static func name(of authority: String) -> String {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      return String(authority[...end])
    }
    return String(authority.prefix { $0 != ":" })
  }
}
