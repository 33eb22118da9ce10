/// A checksum of the values that were read. Implementations that read the same values have the same sum, in any order.
@frozen public struct Checksum: Sendable {
  public var value: UInt64 = 0

  @inlinable public init() {}

  @inlinable @inline(__always)
  public mutating func add(_ number: UInt64) { value = value &+ number }

  @inlinable @inline(__always)
  public mutating func add(_ number: Int) { value = value &+ UInt64(bitPattern: Int64(number)) }
  @inlinable @inline(__always)
  public mutating func add(_ number: Double) { value = value &+ number.bitPattern }
  @inlinable @inline(__always)
  public mutating func add(_ flag: Bool) { value = value &+ (flag ? 1 : 0) }
  @inlinable @inline(__always)
  public mutating func add(_ text: String) {
    value = value &+ UInt64(text.utf8.count) &+ UInt64(text.utf8.first ?? 0) << 8
  }
  @inlinable @inline(__always)
  public mutating func add(_ number: Int?) { if let number { add(number) } else { value &+= 7 } }
  @inlinable @inline(__always)
  public mutating func add(_ number: Double?) { if let number { add(number) } else { value &+= 7 } }
  @inlinable @inline(__always)
  public mutating func add(_ text: String?) { if let text { add(text) } else { value &+= 7 } }
}

extension Checksum {
  @inlinable @inline(__always)
  public mutating func add(_ row: QuakeRow) {
    add(row.code)
    add(row.magnitude)
    add(row.time)
    add(row.place)
    add(row.longitude)
    add(row.latitude)
    add(row.updated)
    add(row.felt)
    add(row.alert)
    add(row.status)
    add(row.tsunami)
    add(row.significance)
    add(row.magnitudeType)
    add(row.type)
  }
}
