import Foundation
import TestSupport

/// Damages a whole file, depending on a number, so that each damage can be repeated.
struct FileMutation {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func below(_ bound: Int) -> Int { random.below(bound) }

  private static let pageSize = 4096
  private static let bytes: [UInt8] = [0, 1, 2, 5, 10, 13, 0x7F, 0x80, 0x81, 0xFE, 0xFF]

  /// Makes one to eight changes.
  mutating func apply(to file: inout [UInt8]) {
    for _ in 0...below(8) { change(&file) }
  }

  private mutating func change(_ file: inout [UInt8]) {
    guard !file.isEmpty else { return }
    let place = below(file.count)
    let page = place / Self.pageSize * Self.pageSize
    switch below(10) {
    case 0, 1: file[place] ^= 1 << UInt8(below(8))
    case 2: file[place] = Self.bytes[below(Self.bytes.count)]
    // The header and the cell pointers of a page.
    case 3: file[min(page + below(64), file.count - 1)] = UInt8(truncatingIfNeeded: random.next())
    case 4: file[min(page + below(12), file.count - 1)] = Self.bytes[below(Self.bytes.count)]
    // A number, or some of its bytes.
    case 5:
      for index in place..<min(place + 1 + below(9), file.count) {
        file[index] = below(2) == 0 ? 0xFF : 0
      }
    case 6:
      let other = below(file.count) / Self.pageSize * Self.pageSize
      for offset in 0..<Self.pageSize
      where page + offset < file.count && other + offset < file.count {
        file.swapAt(page + offset, other + offset)
      }
    case 7:
      for index in place..<min(place + below(600), file.count) { file[index] = 0 }
    case 8:
      if below(4) == 0 { file.removeLast(min(file.count, below(2 * Self.pageSize))) }
      file += file.suffix(below(Self.pageSize))
    default:
      // Texts and numbers from another place in the file.
      let source = below(file.count)
      let count = min(below(200), file.count - max(source, place))
      for offset in 0..<count { file[place + offset] = file[source + offset] }
    }
  }
}
