import ArgumentParser
import Foundation

/// The clock of a device, which may be wrong on purpose: `+90s`, `-15m`, `+3h` or `-2d` from the machine's.
struct DeviceClock: Hashable, Sendable {
  /// The maximum distance from the machine's clock, in seconds: ten years.
  static let maximumOffset = 315_360_000

  /// The distance from the machine's clock, in seconds.
  var offset = 0

  init(offset: Int = 0) { self.offset = offset }

  /// Reads a distance as it is typed.
  /// - Throws: `ValidationError` that says what is possible.
  init(text: String) throws {
    let unsigned = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    guard let seconds = TimeSpan.seconds(unsigned), seconds <= Self.maximumOffset else {
      throw ValidationError(
        "--clock takes a distance of up to ten years, such as +90s, -15m, +3h or -2d.")
    }
    offset = text.first == "-" ? -seconds : seconds
  }

  /// The time on this clock.
  var now: Date { Date().addingTimeInterval(Double(offset)) }
}
