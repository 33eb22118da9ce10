import Foundation
import Observation
import SwiftDataCore

enum Kind: String, Codable, CaseIterable {
  case quake
  case blast = "quarry blast"
  case ice

  var title: String { self == .blast ? "Blast" : rawValue }
}
enum Level: Int, Codable, CaseIterable { case low = 1, high = 7 }
enum Plain: Codable, CaseIterable { case first, second }
enum Payload: Codable, Equatable { case none, number(Double) }
struct Tag: RawRepresentable, Codable, Hashable { var rawValue: String }

struct Place: Codable, Equatable {
  struct Point: Codable, Equatable {
    var latitude: Double
    var longitude: Double?

    init(latitude: Double, longitude: Double? = nil) {
      self.latitude = latitude
      self.longitude = longitude
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      latitude = try container.decode(Double.self, forKey: .latitude)
      longitude = try container.optional(.longitude)
    }
  }
  var name: String
  var note: String?
  var depth: Double?
  var point: Point
  var isNear: Bool
}

extension Place {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    note = try container.optional(.note)
    depth = try container.optional(.depth)
    point = try container.decode(Point.self, forKey: .point)
    isNear = try container.decode(Bool.self, forKey: .isNear)
  }
}

extension KeyedDecodingContainer {
  fileprivate func optional<Value: Decodable>(_ key: Key) throws -> Value? {
    try decodeIfPresent(Value.self, forKey: key)
  }
}

/// A model with a property of every kind, with handwritten code in place of `@Model`'s.
final class Specimen: PersistentModel {
  var code = ""
  var name: String = ""
  var note: String?
  var count = 0
  var rank: Int?
  var small: Int8 = 0
  var big: UInt64 = 0
  var size = 0.0
  var depth: Double?
  var ratio: Float = 0
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var updated: Date?
  var isOpen = false
  var isFelt: Bool?
  var kind = Kind.quake
  var alert: Kind?
  var level = Level.low
  var plain = Plain.first
  var payload = Payload.none
  var tag = Tag(rawValue: "")
  var place = Place(name: "", point: .init(latitude: 0), isNear: false)
  var origin: Place?
  var data = Data()
  var key = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var link: URL?
  var price = Decimal(0)
  var words: [String] = []
  var numbers: [Int] = []
  var owner: Owner?

  let state = _ModelState()
  var _$modelState: _ModelState { state }
  var persistentBackingData: any BackingData<Specimen> {
    get { _ModelBackingData(self) }
    set {}
  }

  init() {}
  init(backingData: any BackingData<Specimen>) {}
  init(_hollow: _HollowModel) {}

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "code", keypath: \Specimen.code, metadata: Schema.Attribute(.unique)),
      .init(name: "name", keypath: \Specimen.name),
      .init(name: "note", keypath: \Specimen.note),
      .init(name: "count", keypath: \Specimen.count),
      .init(name: "rank", keypath: \Specimen.rank),
      .init(name: "small", keypath: \Specimen.small),
      .init(name: "big", keypath: \Specimen.big),
      .init(name: "size", keypath: \Specimen.size),
      .init(name: "depth", keypath: \Specimen.depth),
      .init(name: "ratio", keypath: \Specimen.ratio),
      .init(name: "date", keypath: \Specimen.date),
      .init(name: "updated", keypath: \Specimen.updated),
      .init(name: "isOpen", keypath: \Specimen.isOpen),
      .init(name: "isFelt", keypath: \Specimen.isFelt),
      .init(name: "kind", keypath: \Specimen.kind),
      .init(name: "alert", keypath: \Specimen.alert),
      .init(name: "level", keypath: \Specimen.level),
      .init(name: "plain", keypath: \Specimen.plain),
      .init(name: "payload", keypath: \Specimen.payload),
      .init(name: "tag", keypath: \Specimen.tag),
      .init(name: "place", keypath: \Specimen.place),
      .init(name: "origin", keypath: \Specimen.origin),
      .init(name: "data", keypath: \Specimen.data),
      .init(name: "key", keypath: \Specimen.key),
      .init(name: "link", keypath: \Specimen.link),
      .init(name: "price", keypath: \Specimen.price),
      .init(name: "words", keypath: \Specimen.words),
      .init(name: "numbers", keypath: \Specimen.numbers),
      .init(name: "owner", keypath: \Specimen.owner),
      .init(
        name: "index", keypath: \Specimen.persistentModelID,
        metadata: Schema.Index<Specimen>(
          [\.name], [\.note], [\.count], [\.rank], [\.size], [\.depth], [\.date], [\.updated],
          [\.isOpen], [\.kind], [\.place.name])),
    ]
  }

  func _$encode(into writer: inout _RowWriter) {
    writer.write(_Stored(code)); writer.write(_Stored(name)); writer.write(_Stored(note))
    writer.write(_Stored(count)); writer.write(_Stored(rank)); writer.write(_Stored(small))
    writer.write(_Stored(big)); writer.write(_Stored(size)); writer.write(_Stored(depth))
    writer.write(_Stored(ratio)); writer.write(_Stored(date)); writer.write(_Stored(updated))
    writer.write(_Stored(isOpen)); writer.write(_Stored(isFelt)); writer.write(_Stored(kind))
    writer.write(_Stored(alert)); writer.write(_Stored(level)); writer.write(_Stored(plain))
    writer.write(_Stored(payload)); writer.write(_Stored(tag)); writer.write(_Stored(place))
    writer.write(_Stored(origin)); writer.write(_Stored(data)); writer.write(_Stored(key))
    writer.write(_Stored(link)); writer.write(_Stored(price)); writer.write(_Stored(words))
    writer.write(_Stored(numbers))
    writer.write(_Stored(owner))
  }

  func _$encode(_ index: Int, into writer: inout _RowWriter) {}
  func _$decode(from reader: inout _RowReader) throws {}
  func _$decode(_ index: Int, from reader: inout _RowReader) throws {}
  func _$clear(_ index: Int) {}
}

extension Specimen: Observable {}
