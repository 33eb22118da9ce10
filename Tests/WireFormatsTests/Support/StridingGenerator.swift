/// Numbers that cover all 64 bits evenly: multiples of the golden ratio, an additive recurrence.
struct StridingGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return state
  }
}
