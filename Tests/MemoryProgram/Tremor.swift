import Foundation
import SwiftData

/// An event of the same size as in real feeds.
@Model
final class Tremor {
  #Index<Tremor>([\.time])

  @Attribute(.unique) var code: String
  var magnitude: Double?
  var time: Date
  var place: String?
  var longitude: Double
  var latitude: Double
  var updated: Date
  var felt: Int?
  var alert: String?
  var status: String
  var tsunami: Bool
  var significance: Int
  var magnitudeType: String?
  var type: String

  /// Creates the event of a number; equal numbers create equal events.
  init(_ number: Int) {
    // Knuth's multiplicative hash spreads neighbouring numbers.
    let random = Int(UInt32(truncatingIfNeeded: number &* 2_654_435_761))
    code = "nc\(70_000_000 + number)"
    magnitude = number % 50 == 0 ? nil : Double(random % 700) / 100 - 0.5
    let moment = Date(timeIntervalSinceReferenceDate: Double(random % 1_000_000_000) / 8)
    time = moment
    place = "\(random % 200) km NNW of a town with number \(random % 5_000), CA"
    longitude = Double(random % 360_000) / 1_000 - 180
    latitude = Double(random % 180_000) / 1_000 - 90
    updated = moment.addingTimeInterval(600)
    felt = number % 20 == 0 ? random % 900 : nil
    alert = number % 200 == 0 ? "green" : nil
    status = number % 3 == 0 ? "reviewed" : "automatic"
    tsunami = number % 997 == 0
    significance = random % 1_000
    magnitudeType = "ml"
    type = "earthquake"
  }
}
