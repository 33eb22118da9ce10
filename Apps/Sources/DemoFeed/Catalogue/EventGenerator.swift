import Foundation

/// Generates the events of a catalogue from a seed: event `i` is always the same for the same seed
/// and anchor, regardless of the number of other events.
struct EventGenerator: Sendable {
  /// The source of an event's random numbers.
  enum Source {
    /// One of the catalogue's initial events.
    case base(Int)
    /// An event that was added in a later step.
    case added(step: Int, index: Int)
  }

  /// The code of the newest initial event; those of older ones follow.
  static let firstCode = 40_000_000

  let seed: UInt64

  /// Returns the event with the given source.
  /// - Parameters:
  ///   - time: The time of the event, in milliseconds since 1970.
  ///   - source: The source of its random numbers and its code.
  ///   - now: The time at which the feed is made, before which it was last changed.
  func event(at time: Int, from source: Source, by now: Int) -> SyntheticEvent {
    var random = random(of: source)
    let number: Int =
      switch source {
      case .base(let index): Self.firstCode + index
      case .added(let step, let index): 80_000_000 + step * 64 + index
      }
    let regional = random.chance(0.78)
    let zones = regional ? SeismicZone.regional : SeismicZone.worldwide
    let chosen = SeismicZone.choose(from: zones, &random)
    let zone = zones[chosen]
    let (latitude, longitude) = zone.epicentre(
      seed: seed, zone: regional ? chosen : chosen + SeismicZone.regional.count, &random)
    let magnitude = magnitude(regional: regional, &random)
    var event = SyntheticEvent(
      net: zone.net,
      code: code(number, net: zone.net),
      aliases: [],
      magnitude: magnitude,
      magnitudeType: magnitude == nil ? nil : magnitudeType(magnitude ?? 0, regional, &random),
      place: Town.describe(
        latitude, longitude, by: regional ? Town.regional : Town.worldwide, region: zone.name),
      time: time,
      updated: max(time, min(now, time + 60_000 + random.below(7_200_000))),
      longitude: Int((longitude * 10_000).rounded()), latitude: Int((latitude * 10_000).rounded()),
      depth: Int(
        zone.depth(latitude: latitude, longitude: longitude, chance: random.bell()) * 100),
      type: "earthquake",
      status: random.chance(0.6) ? "reviewed" : "automatic",
      alert: nil, tsunami: false, felt: nil, cdi: nil,
      stations: 5 + random.below(90),
      distance: random.below(4_000),
      rms: 2 + random.below(120),
      gap: 20 + random.below(300))
    addEffects(&event, &random)
    addOddities(&event, &random)
    return event
  }

  /// Returns the magnitude of the event with the given source, in hundredths, without the rest of it.
  func magnitude(from source: Source) -> Int? {
    var random = random(of: source)
    let regional = random.chance(0.78)
    _ = random.unit()  // The zone.
    SeismicZone.skipEpicentre(&random)
    return magnitude(regional: regional, &random)
  }

  private func random(of source: Source) -> CounterRandom {
    switch source {
    case .base(let index): CounterRandom(seed: seed, stream: 1, index: index)
    case .added(let step, let index):
      CounterRandom(seed: seed, stream: 2, index: step &* 64 &+ index)
    }
  }

  /// Returns the event in its `revision`-th revision.
  func revised(_ event: SyntheticEvent, revision: Int, at now: Int) -> SyntheticEvent {
    guard revision > 0 else { return event }
    var random = CounterRandom(seed: seed ^ UInt64(revision), stream: 3, index: event.time)
    var event = event
    if let magnitude = event.magnitude { event.magnitude = magnitude + 5 + random.below(25) }
    if let depth = event.depth { event.depth = depth + random.below(200) - 100 }
    event.status = "reviewed"
    // Real feeds change content without changing `updated`, and even move `updated` back.
    switch random.below(8) {
    case 0: break
    case 1: event.updated = max(event.time, event.updated - 1_000)
    default: event.updated = now
    }
    return event
  }

  /// Returns a magnitude by Gutenberg–Richter: the number of events above m falls tenfold for each
  /// unit of m (b = 1). The distribution is blurred at the low end, where real networks miss
  /// events.
  private func magnitude(regional: Bool, _ random: inout CounterRandom) -> Int? {
    let tail = -log10(max(random.unit(), 1e-6))
    let blur = 0.45 * random.bell()
    let value = regional ? 0.35 + tail + blur * 2 : 3.9 + tail + blur
    if random.chance(0.004) { return nil }
    return Int((min(value, 9.1) * 100).rounded())
  }

  private func magnitudeType(
    _ magnitude: Int, _ regional: Bool, _ random: inout CounterRandom
  ) -> String {
    if magnitude >= 600 { return "mww" }
    if regional { return random.chance(0.6) ? "ml" : "md" }
    return random.chance(0.8) ? "mb" : "mwr"
  }

  private func code(_ number: Int, net: String) -> String {
    guard net == "us" else { return String(number) }
    return "7000" + String(number, radix: 36)
  }

  private func addEffects(_ event: inout SyntheticEvent, _ random: inout CounterRandom) {
    guard let magnitude = event.magnitude, magnitude >= 250 else { return }
    if random.chance(magnitude >= 400 ? 0.7 : 0.25) {
      event.felt = 1 + random.below(magnitude * magnitude / 2_000)
      event.cdi = 20 + random.below(magnitude / 10)
    }
    if magnitude >= 550 { event.alert = magnitude >= 680 ? "yellow" : "green" }
    if magnitude >= 550 && random.chance(0.05) { event.alert = "pending" }
    event.tsunami = magnitude >= 650 && event.net == "us"
  }

  /// Adds the irregularities that occur in real feeds and that a reader must handle.
  private func addOddities(_ event: inout SyntheticEvent, _ random: inout CounterRandom) {
    if random.chance(0.003) { event.depth = nil }
    if random.chance(0.002) { event.place = nil }
    if random.chance(0.3) { event.stations = nil }
    if random.chance(0.3) { event.distance = nil }
    if random.chance(0.2) { event.gap = nil }
    if random.chance(0.1) { event.aliases.append("at00" + event.code) }
    if random.chance(0.01) { event.aliases.append("") }
    if event.net != "us" && random.chance(0.03) {
      event.type = random.chance(0.7) ? "quarry blast" : "explosion"
    }
  }
}
