/// Random numbers that are the same for the same seed on every machine: SplitMix64 (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", 2014, https://prng.di.unimi.it/splitmix64.c).
///
/// Recorded seeds keep their meaning only as long as neither the sequence nor the mapping of a function below changes.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The state, which shows how many numbers were drawn.
  package private(set) var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 to below `bound`: the remainder of one number. For a bound below 1, it is 0.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// Returns true with the given probability.
  package mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// Returns an element of a list that isn't empty.
  package mutating func one<Element>(of list: [Element]) -> Element {
    list[Int.random(in: list.indices, using: &self)]
  }
}
