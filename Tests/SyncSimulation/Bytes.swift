import Foundation
import TestSupport

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
