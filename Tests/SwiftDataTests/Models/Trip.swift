import SwiftData

@Model
final class Trip {
  @Attribute(.unique) var name: String
  var next: Trip?
  @Relationship(deleteRule: .cascade) var lodging: Lodging?

  init(name: String, lodging: Lodging? = nil) {
    self.name = name
    self.lodging = lodging
  }
}

@Model
final class Lodging {
  var title: String
  var visits = 0

  init(title: String) { self.title = title }
}

struct Address: Codable, Hashable {
  var town: String
  var zip: Int?
}

@Model
final class Person {
  #Unique<Person>([\.first, \.last])
  #Index<Person>([\.born], [\.address.town, \.last])

  var first: String
  var last: String
  var born: Date
  var address: Address

  init(_ first: String, _ last: String, town: String = "", zip: Int? = nil) {
    self.first = first
    self.last = last
    born = Date(timeIntervalSinceReferenceDate: 0)
    address = Address(town: town, zip: zip)
  }
}
