import TestSupport

/// Changes bytes at random, depending on a seed and a number.
struct Mutation {
  private var generator: SeededGenerator
  private let words: [[UInt8]]
  private static let numbers = [
    "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e400",
    "2147483648", "0.1", "-0", "1e-400", "00",
  ].map { Array($0.utf8) }

  init(seed: UInt64, input: Int, words: [String]) {
    generator = SeededGenerator(spreading: seed &* 0x1_0000_0001 &+ UInt64(input))
    self.words = words.map { Array($0.utf8) }
  }

  /// Returns one of the samples, changed in a few places.
  mutating func input(_ samples: [[UInt8]]) -> [UInt8] {
    guard !samples.isEmpty else { return [] }
    var bytes = samples[generator.number(0...samples.count - 1)]
    for _ in 0..<generator.number(1...6) { change(&bytes, samples) }
    return bytes
  }

  private mutating func place(_ bytes: [UInt8]) -> Int {
    // The beginning of a file affects more than later bytes do.
    let end = generator.number(0...3) == 0 ? min(bytes.count, 100) : bytes.count
    return generator.number(0...max(0, end - 1))
  }

  private mutating func change(_ bytes: inout [UInt8], _ samples: [[UInt8]]) {
    guard !bytes.isEmpty else {
      bytes = [UInt8.random(in: 0...255, using: &generator)]
      return
    }
    let place = place(bytes)
    let length = min(generator.number(1...16), bytes.count - place)
    switch generator.number(0...10) {
    case 0, 1: bytes[place] ^= 1 << UInt8(generator.number(0...7))
    case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF, 0x22, 0x5C][generator.number(0...6)]
    case 3: bytes[place] = UInt8.random(in: 0...255, using: &generator)
    case 4: bytes.removeSubrange(place..<place + length)
    case 5: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
    case 6:
      for offset in 0..<length { bytes[place + offset] = UInt8(generator.number(0...255)) }
    case 7: number(&bytes, near: place)
    case 8: insert(words, &bytes, place)
    case 9:
      let other = samples[generator.number(0...samples.count - 1)]
      let from = generator.number(0...max(0, other.count - 1))
      let part = other[from..<min(other.count, from + generator.number(1...64))]
      bytes.insert(contentsOf: part, at: place)
    default: if generator.number(0...3) == 0 { bytes.removeSubrange(place...) }
    }
  }

  private mutating func insert(_ words: [[UInt8]], _ bytes: inout [UInt8], _ place: Int) {
    guard !words.isEmpty else { return }
    bytes.insert(contentsOf: words[generator.number(0...words.count - 1)], at: place)
  }

  /// Replaces the next number by another one.
  private mutating func number(_ bytes: inout [UInt8], near place: Int) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let begin = bytes[place...].firstIndex(where: digits.contains) else { return }
    let end = bytes[begin...].firstIndex { !digits.contains($0) } ?? bytes.count
    let number = Self.numbers[generator.number(0...Self.numbers.count - 1)]
    bytes.replaceSubrange(begin..<end, with: number)
  }
}
