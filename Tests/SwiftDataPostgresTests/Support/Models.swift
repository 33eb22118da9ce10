import Foundation
import SwiftData

/// A class with a property of each kind.
@Model
final class Sample {
  @Attribute(.unique) var key: String
  var count: Int
  var small: Int8
  var big: UInt64
  var size: Double
  var isOpen: Bool
  var date: Date
  var data: Data
  var uuid: UUID
  var url: URL?
  var price: Decimal
  var numbers: [Int]
  var rank: Int?
  var note: String?
  var place: Place?
  var group: SampleGroup?

  init(_ key: String, count: Int = 0) {
    self.key = key
    self.count = count
    small = Int8(truncatingIfNeeded: count)
    big = UInt64(truncatingIfNeeded: count)
    size = Double(count) / 2
    isOpen = count.isMultiple(of: 2)
    date = Date(timeIntervalSinceReferenceDate: Double(count) * 1.5)
    data = Data(key.utf8)
    uuid = UUID()
    price = Decimal(count) / 4
    numbers = Array(0..<max(0, min(count, 5)))
  }
}

struct Place: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

@Model
final class SampleGroup {
  #Index<SampleGroup>([\.name])
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Sample.group) var samples: [Sample] = []
  @Relationship(inverse: \Tag.groups) var tags: [Tag] = []
  var parent: SampleGroup?

  init(_ name: String) { self.name = name }
}

@Model
final class Tag {
  var name: String
  var groups: [SampleGroup] = []

  init(_ name: String) { self.name = name }
}

/// Names that are longer than the server keeps.
@Model
final class AClassWhoseNameIsLongerThanTheSixtyThreeBytesThatAServerKeepsOfAName {
  var aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatAServerKeepsOne: Int = 1
  var aPropertyWhoseNameIsLongerThanTheSixtyThreeBytesThatAServerKeepsTwo: Int = 2

  init() {}
}

/// A name that every table of the server has already.
@Model
final class SystemNamed {
  var xmin: Int = 0

  init() {}
}
