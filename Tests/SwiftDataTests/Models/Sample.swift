import StoreTesting
import SwiftData
import SwiftDataExtras

enum Colour: String, Codable, CaseIterable { case red, green }
enum Level: Int, Codable { case low = 3, high = 9 }
enum Shape: Codable, Hashable {
  case circle(radius: Double)
  case square
}
struct Inner: Codable, Hashable {
  var depth: Double
  var note: String?
}
struct Outer: Codable, Hashable {
  var title: String
  var inner: Inner
  var colour: Colour
}
struct Listy: Codable, Hashable { var values: [Int] }

/// A model with one property of every kind.
@Model @Snapshotable
final class Sample {
  var flag: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var float: Float
  var double: Double
  var string: String
  var date: Date
  var data: Data
  var uuid: UUID
  var url: URL
  var decimal: Decimal
  var colour: Colour
  var level: Level
  var shape: Shape
  var outer: Outer
  var listy: Listy
  var strings: [String]
  var numbers: Set<Int>
  var pairs: [String: Double]
  var optionalInt: Int?
  var optionalUInt64: UInt64?
  var optionalDouble: Double?
  var optionalString: String?
  var optionalDate: Date?
  var optionalData: Data?
  var optionalUUID: UUID?
  var optionalURL: URL?
  var optionalDecimal: Decimal?
  var optionalBool: Bool?
  var optionalColour: Colour?
  var optionalShape: Shape?
  var optionalInner: Inner?
  var optionalStrings: [String]?
  @Transient var cache = 0

  init(int: Int = 0) {
    flag = true
    self.int = int
    int8 = -8
    int16 = -16
    int32 = -32
    int64 = .min
    uint = .max
    uint8 = 8
    uint16 = 16
    uint32 = .max
    uint64 = .max
    float = 1.5
    double = 0.1
    // No text in PostgreSQL has U+0000.
    string = StoreKind.tested == .postgresql ? "Ünïcode 🌍" : "Ünï\u{0}code 🌍"
    date = Date(timeIntervalSinceReferenceDate: -123.456)
    data = Data([0, 1, 255])
    uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    url = URL(filePath: "/tmp/x")
    decimal = Decimal(sign: .minus, exponent: -20, significand: 12_345_678_901)
    colour = .green
    level = .high
    shape = .circle(radius: 2)
    outer = Outer(title: "t", inner: Inner(depth: 3, note: nil), colour: .red)
    listy = Listy(values: [1, 2])
    strings = ["a", "b"]
    numbers = [3, 1]
    pairs = ["x": 1.5]
  }
}
