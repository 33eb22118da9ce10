import Foundation
import QuakesKit

/// The details of an event as lines of `quakes show`: names and values.
struct DetailsText {
  private let answer: DetailsLoader.Answer
  private let unit: DistanceUnit

  /// - Parameter unit: The unit of distances.
  init(_ answer: DetailsLoader.Answer, in unit: DistanceUnit = .kilometres) {
    self.answer = answer
    self.unit = unit
  }

  /// The lines.
  /// - Parameter time: Writes a time.
  func facts(_ time: (Date) -> String) -> [(String, String)] {
    let details = answer.kept.details
    var facts = [("Details", "loaded \(time(answer.kept.loaded))")]
    if let felt = details.felt {
      let count = felt.responses.map { $0 == 1 ? "1 report" : "\(grouped($0)) reports" }
      let most = felt.intensity.map { "up to \(Intensity.text($0))" }
      facts.append(("Felt", [count, most].compactMap { $0 }.joined(separator: ", ")))
    }
    if let shaking = details.shaking {
      facts.append(("Shaking", "up to \(Intensity.text(shaking))"))
    }
    if let alert = details.alert { facts.append(("Losses", Self.losses(alert.level))) }
    if let mechanism = details.mechanism { facts += Self.facts(mechanism) }
    for (number, town) in details.towns.enumerated() {
      facts.append((number == 0 ? "Towns" : "", text(town)))
    }
    if let weakest = details.contours.first, let strongest = details.contours.last {
      let range = [weakest, strongest].map { Intensity.numeral($0.intensity) }
      let count = details.contours.reduce(0) { $0 + $1.lines.count }
      facts.append(
        ("Contours", "intensities \(range.joined(separator: " to ")), \(count) lines"))
    }
    if !details.missing.isEmpty {
      let names = details.missing.map(\.rawValue).joined(separator: ", ")
      facts.append(("Missing", "\(names) could not be loaded; the next request tries again"))
    }
    if facts.count == 1 { facts.append(("", "nothing beyond the feed")) }
    return facts
  }

  /// The sentence about details that could not be renewed; nil when they are as they should be.
  var warning: String? {
    guard let failure = answer.failure else { return nil }
    return "\(failure); shown are those kept from \(Timestamp.iso8601(answer.kept.loaded))"
  }

  private static func facts(_ mechanism: EventDetails.Mechanism) -> [(String, String)] {
    var parts = [mechanism.kind == .momentTensor ? "moment tensor" : "first motions"]
    if let source = mechanism.source { parts[0] += " of \(source)" }
    if let magnitude = mechanism.magnitude {
      parts.append("\(mechanism.magnitudeType ?? "M") \(EventTable.decimal(magnitude, 2))")
    }
    if let moment = mechanism.moment { parts.append(String(format: "%.2e N·m", moment)) }
    if let share = mechanism.doubleCouple {
      parts.append("\(whole(share * 100)) % double couple")
    }
    return [("Mechanism", parts.joined(separator: ", "))]
      + mechanism.planes.enumerated().map { number, plane in
        let angles = [("strike", plane.strike), ("dip", plane.dip), ("rake", plane.rake)]
          .map { "\($0.0) \(whole($0.1))°" }
        return ("Plane \(number + 1)", angles.joined(separator: ", "))
      }
  }

  /// The whole number nearest to a number, which in a changed store may be of any size.
  private static func whole(_ number: Double) -> String { number.rounded().exportedText }

  /// The meaning of a level (earthquake.usgs.gov/data/pager/onepager.php).
  private static func losses(_ level: EventDetails.Alert.Level) -> String {
    switch level {
    case .green: "green: little or no damage expected"
    case .yellow: "yellow: some damage possible, local response"
    case .orange: "orange: significant damage likely, regional response"
    case .red: "red: extensive damage likely, national response"
    }
  }

  private func text(_ town: EventDetails.Town) -> String {
    let place = [town.direction, "of", town.name].compactMap { $0 }.joined(separator: " ")
    let people = town.population.map { " (population \(grouped($0)))" } ?? ""
    let distance = EventTable.decimal(unit.value(town.distance), 0)
    return "\(distance) \(unit.symbol) \(place)\(people)"
  }

  /// The number with commas between thousands.
  private func grouped(_ number: Int) -> String {
    var groups: [String] = []
    var rest = number
    while rest >= 1_000 {
      groups.append(String(String(1_000 + rest % 1_000).dropFirst()))
      rest /= 1_000
    }
    return ([String(rest)] + groups.reversed()).joined(separator: ",")
  }
}
