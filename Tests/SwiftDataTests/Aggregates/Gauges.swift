import SwiftData

enum Alarm: String, Codable, CaseIterable { case yellow, amber, crimson }

/// A type whose order differs from the order of its raw values.
enum GaugeGrade: Int, Codable, CaseIterable, Comparable {
  case best = 1
  case middling = 2
  case worst = 3
  static func < (lhs: GaugeGrade, rhs: GaugeGrade) -> Bool { lhs.rawValue > rhs.rawValue }
}

struct Datum: Codable, Hashable {
  var name: String
  var height: Double?
}

@Model
final class Basin {
  var name: String
  var area: Double
  var gauges: [Gauge] = []

  init(_ name: String, area: Double = 1) {
    self.name = name
    self.area = area
  }
}

@Model
final class Gauge {
  var name: String
  var count: Int
  var level: Double
  var depth: Double?
  var small: Int8
  var large: UInt64
  var price: Decimal
  var time: Date
  var note: String?
  var isOpen: Bool
  var tag: UUID
  var alarm: Alarm?
  var grade: GaugeGrade
  var datum: Datum
  var basin: Basin?

  init(_ name: String, count: Int = 0, level: Double = 0, alarm: Alarm? = nil, basin: Basin? = nil)
  {
    self.name = name
    self.count = count
    self.level = level
    small = 1
    large = 1
    price = 1
    time = Date(timeIntervalSinceReferenceDate: 0)
    isOpen = true
    tag = UUID()
    self.alarm = alarm
    grade = .middling
    datum = Datum(name: name)
    self.basin = basin
  }
}

extension Gauge {
  /// Returns random values, often unusual ones; fractions are eighths, so that every sum of them is exact.
  static func random(
    _ basins: [Basin], using generator: inout some RandomNumberGenerator
  ) -> Gauge {
    func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &generator) == 0 }
    func eighths() -> Double { Double(Int.random(in: -64...64, using: &generator)) / 8 }
    let names = ["a", "B", "é", "e\u{301}", "z10", "z9", "", "日本"]
    let gauge = Gauge(names.randomElement(using: &generator) ?? "")
    gauge.count = chance(20) ? Int.random(in: .min ... .max, using: &generator) : Int(eighths())
    gauge.level = chance(200) ? .nan : eighths()
    gauge.depth = chance(3) ? nil : chance(100) ? .infinity : eighths()
    gauge.small = Int8.random(in: .min ... .max, using: &generator)
    gauge.large = chance(30) ? .max : UInt64.random(in: 0...9, using: &generator)
    gauge.price = Decimal(Int.random(in: -99...99, using: &generator)) / 100
    gauge.time = Date(timeIntervalSinceReferenceDate: eighths())
    gauge.note = chance(3) ? nil : names.randomElement(using: &generator)
    gauge.isOpen = chance(2)
    gauge.alarm = chance(4) ? nil : Alarm.allCases.randomElement(using: &generator)
    gauge.grade = GaugeGrade.allCases.randomElement(using: &generator) ?? .best
    gauge.datum = Datum(
      name: names.randomElement(using: &generator) ?? "", height: chance(3) ? nil : eighths())
    gauge.basin = chance(4) ? nil : basins.randomElement(using: &generator)
    return gauge
  }
}
