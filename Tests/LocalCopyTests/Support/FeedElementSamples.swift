import Foundation
import LocalCopy

/// A structure with every kind of property.
@FeedElement
struct Everything: Decodable, Equatable, Sendable {
  enum Kind: String, Decodable, Sendable { case quake, blast }

  @FeedElement
  struct Part: Decodable, Equatable, Sendable {
    var n: Int
    var t: String?
    let fixed = 5

    private enum CodingKeys: CodingKey { case n, t }
  }

  private enum CodingKeys: String, CodingKey {
    case text = "t"
    case flag, i8, i16, i32, i64, u, u8, u16, u32, u64, f, d, i
    case date = "the date"
    case maybeText = "é"
    case part, parts, numbers, table, kind, kinds, address
  }

  var text: String
  var flag: Bool?
  var i8: Int8?
  var i16: Int16?
  var i32: Int32?
  var i64: Int64?
  var u: UInt?
  var u8: UInt8?
  var u16: UInt16?
  var u32: UInt32?
  var u64: UInt64?
  var f: Float?
  let d: Double?
  var i: Int
  var date: Date?
  var maybeText: Optional<String>
  var part: Part?
  var parts: [Part]?
  var numbers: [[Double?]]?
  var table: [String: Int]?
  var kind: Kind?
  var kinds: [Kind?]?
  var address: URL?
  var leftOut = "left out"
}

/// A structure that contains itself.
@FeedElement
struct Tree: Decodable, Equatable, Sendable {
  var children: [Tree]
}

/// A USGS event, with most of the properties in USGS feeds.
@FeedElement
struct CapturedFeature: Decodable, Equatable, Sendable {
  @FeedElement
  struct Properties: Decodable, Equatable, Sendable {
    var mag: Double?
    var place: String?
    var time: Date
    var updated: Date?
    var tz: Int?
    var url: URL?
    var felt: Int?
    var cdi: Double?
    var mmi: Float?
    var alert: String?
    var status: String?
    var tsunami: Int8?
    var sig: UInt16?
    var net: String
    var code: String
    var ids: String
    var types: String?
    var nst: Int?
    var dmin: Double?
    var rms: Double?
    var gap: Double?
    var magType: String?
    var type: String
    var title: String?
  }

  @FeedElement
  struct Geometry: Decodable, Equatable, Sendable {
    var type: String
    var coordinates: [Double?]
  }

  var id: String
  var properties: Properties
  var geometry: Geometry
}
