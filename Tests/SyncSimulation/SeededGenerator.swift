import Foundation

/// Random numbers determined by a seed (https://prng.di.unimi.it/splitmix64.c describes the
/// method).
package struct SeededGenerator: RandomNumberGenerator {
  /// The state, which shows how many numbers were drawn.
  private(set) var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }
}

/// Returns bytes that differ for each seed.
package func bytes(_ count: Int, _ seed: UInt64 = 1) -> Data {
  var random = SeededGenerator(seed: seed)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count {
    withUnsafeBytes(of: random.next().littleEndian) { bytes.append(contentsOf: $0) }
  }
  return Data(bytes.prefix(count))
}
