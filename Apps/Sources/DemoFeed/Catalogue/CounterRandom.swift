/// Pseudo-random numbers addressed by a counter: the numbers of event `i` don't depend on earlier
/// events, so any part of a catalogue of any size can be generated without keeping the others.
///
/// The mixing function is SplitMix64's (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014).
struct CounterRandom: RandomNumberGenerator {
  private static let golden: UInt64 = 0x9e37_79b9_7f4a_7c15
  private var state: UInt64

  /// Creates the numbers that belong to `index` of `stream` under `seed`.
  init(seed: UInt64, stream: UInt64, index: Int) {
    state = Self.mix(seed &+ Self.golden &* (stream &+ 1))
    state = Self.mix(state ^ UInt64(bitPattern: Int64(index)) &* 0xd6e8_feb8_6659_fd93)
  }

  mutating func next() -> UInt64 {
    state &+= Self.golden
    return Self.mix(state)
  }

  /// Returns a number in 0 ..< 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a whole number in 0 ..< limit; `limit` must be positive.
  mutating func below(_ limit: Int) -> Int { Int(unit() * Double(limit)) }

  /// Returns true with the given probability.
  mutating func chance(_ probability: Double) -> Bool { unit() < probability }

  /// Returns a number between -1 and 1, with values near 0 more likely (the sum of three uniforms).
  mutating func bell() -> Double { (unit() + unit() + unit()) / 1.5 - 1 }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
