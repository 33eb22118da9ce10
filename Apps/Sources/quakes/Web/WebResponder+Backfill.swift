import Foundation
import Hummingbird
import LocalApp

extension WebResponder {
  private struct Wish: Decodable {
    /// Times in milliseconds since 1970.
    var since: Double
    var until: Double?
    var minimumMagnitude: Double?
  }

  /// The maximum size of a request, in bytes.
  private static let maximumWish = 1_024
  /// The longest range, in seconds: twenty years.
  private static let longestRange = 7_305 * 86_400.0
  /// The first time that can be asked for: 1900-01-01T00:00:00Z.
  private static let earliest = Date(timeIntervalSince1970: -2_208_988_800)

  /// Starts a back-fill, or stops the one that runs.
  func backfill(_ request: Request) async throws {
    try request.requireOwnPage(of: "quakes")
    guard request.method != .delete else { return await source.stopBackfill() }
    let bytes = try await request.collected(upTo: Self.maximumWish)
    let wish: Wish
    do { wish = try JSONDecoder().decode(Wish.self, from: bytes) } catch {
      throw APIFailure(
        .badRequest, "invalid_body",
        "Send an object with since, and until and minimumMagnitude if wanted, as numbers.")
    }
    let wanted = try Self.checked(wish, now: Date())
    do { try await source.startBackfill(wanted) } catch BackfillRefusal.running {
      throw APIFailure(
        .conflict, "running", "Earthquakes of the past are being loaded; stop that first.")
    } catch BackfillRefusal.noService {
      throw APIFailure(
        .conflict, "no_service",
        "No archive with this feed's earthquakes is known; QUAKES_SERVICE names one.")
    }
  }

  private static func checked(_ wish: Wish, now: Date) throws(APIFailure) -> BackfillRequest {
    let since = Date(timeIntervalSince1970: wish.since / 1_000)
    let until = wish.until.map { Date(timeIntervalSince1970: $0 / 1_000) }
    guard since >= earliest, since < now else {
      throw .invalid("since", "The start is a time from 1900 to now.")
    }
    let end = min(until ?? now, now)
    guard end.timeIntervalSince(since) >= 1 else {
      throw .invalid("until", "The end comes after the start.")
    }
    guard end.timeIntervalSince(since) <= longestRange else {
      throw .invalid("since", "At most 20 years can be loaded at once.")
    }
    if let magnitude = wish.minimumMagnitude, !(-10...10).contains(magnitude) {
      throw .invalid("minimumMagnitude", "The least magnitude is a number from -10 to 10.")
    }
    // A time far in the future is no number of milliseconds.
    return BackfillRequest(
      since: since, until: until.flatMap { $0 < now ? $0 : nil },
      minimumMagnitude: wish.minimumMagnitude)
  }
}
