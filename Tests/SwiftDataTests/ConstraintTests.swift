import SwiftData
import Testing

@Suite("#Unique and #Index reach the schema and the file")
struct ConstraintTests {
  @Test("the schema names their properties")
  func schema() throws {
    let entity = try #require(Schema([Person.self]).entity(for: Person.self))
    #expect(entity.uniquenessConstraints == [["first", "last"]])
    #expect(entity.indices == [["born"], ["address.town", "last"]])
  }

  @Test("a compound key upserts")
  func compoundKey() throws {
    let context = ModelContext(try memoryContainer(Person.self))
    context.insert(Person("Inge", "Lehmann", town: "a"))
    context.insert(Person("Inge", "Other", town: "b"))
    try context.save()
    context.insert(Person("Inge", "Lehmann", town: "c"))
    try context.save()
    let people = try context.fetch(
      FetchDescriptor<Person>(sortBy: [SortDescriptor(\.address.town)]))
    #expect(people.map(\.address.town) == ["b", "c"])
  }

  @Test(
    "a path without a column is refused with the reason",
    arguments: [
      (ConstraintWithoutColumn.List.self as any PersistentModel.Type, "others", "to many"),
      (ConstraintWithoutColumn.JSON.self, "shape.width", "shape is stored as JSON"),
      (ConstraintWithoutColumn.Link.self, "other", "Name the relationship"),
      (ConstraintWithoutColumn.Value.self, "name", "Name the property itself"),
    ])
  func noColumn(type: any PersistentModel.Type, path: String, reason: String) throws {
    #expect {
      _ = try memoryContainer(type)
    } throws: { error in
      guard let error = error as? SchemaError else { return false }
      return error.code == .unknownProperty && error.property == path
        && error.description.contains(reason) && !error.description.contains("computed")
    }
  }

  @Test(
    "the file has the indices",
    .enabled(if: StoreKind.tested == .sqlite, "is about files"))
  func file() throws {
    let store = try TemporaryStore()
    _ = try store.container(Person.self)
    let indices = try store.values(
      """
      SELECT group_concat(i.name) FROM pragma_index_list('Person') AS l
      JOIN pragma_index_info(l.name) AS i GROUP BY l.name
      """)
    #expect(Set(indices.compactMap(\.self)) == ["first,last", "born", "address_town,last"])
  }

  @Test("members of structures sort and filter in SQL, optional ones too")
  func members() throws {
    let context = ModelContext(try memoryContainer(Person.self))
    context.insert(Person("a", "1", town: "x", zip: 9))
    context.insert(Person("b", "2", town: "y"))
    context.insert(Person("c", "3", town: "x", zip: 4))
    try context.save()
    let sorted = try context.fetch(
      FetchDescriptor<Person>(
        predicate: #Predicate { $0.address.town == "x" && $0.address.zip != nil },
        sortBy: [SortDescriptor(\.address.zip, order: .reverse)]))
    #expect(sorted.map(\.first) == ["a", "c"])
  }

  @Test("a group without properties says nothing")
  func emptyGroup() throws {
    let entity = try #require(Schema([SeatTicket.self]).entity(for: SeatTicket.self))
    #expect(entity.uniquenessConstraints == [["code"]])
    #expect(entity.indices == [["seat"]])
    let context = ModelContext(try memoryContainer(SeatTicket.self))
    for seat in 1...2 {
      context.insert(SeatTicket(code: "a", seat: seat))
      try context.save()
    }
    #expect(try context.fetch(FetchDescriptor<SeatTicket>()).map(\.seat) == [2])
  }

  @Test("a relationship to values is an attribute, and its option the attribute's")
  func relationshipsToValues() throws {
    let entity = try #require(Schema([Album.self]).entity(for: Album.self))
    #expect(entity.relationships.isEmpty)
    #expect(Set(entity.attributes.map(\.name)) == ["key", "pictures"])
    #expect(entity.attributesByName["pictures"]?.originalName == "photos")
    #expect(entity.uniquenessConstraints == [["key"]])
    let container = try memoryContainer(Album.self)
    for picture in 1...2 as ClosedRange<UInt8> {
      let context = ModelContext(container)
      context.insert(Album(key: "a", pictures: [Data([picture])]))
      try context.save()
    }
    let albums = try ModelContext(container).fetch(FetchDescriptor<Album>())
    #expect(albums.map(\.pictures) == [[Data([2])]])
  }
}

/// Models with constraints and indices on what has no column.
private enum ConstraintWithoutColumn {
  @Model
  final class List {
    #Unique<List>([\.others])
    var name = ""
    var others: [List] = []
    init() {}
  }

  @Model
  final class JSON {
    #Index<JSON>([\.shape.width])
    struct Shape: Codable {
      var width = 1
      var marks: [Int] = []
    }
    var shape = Shape()
    init() {}
  }

  @Model
  final class Link {
    #Index<Link>([\.other?.name])
    var name = ""
    var other: Link?
    init() {}
  }

  @Model
  final class Value {
    #Index<Value>([\.name.count])
    var name = ""
    init() {}
  }
}

@Model
private final class SeatTicket {
  #Unique<SeatTicket>([\.code], [])
  #Index<SeatTicket>([\.seat], [])
  var code: String
  var seat: Int
  init(code: String, seat: Int) {
    self.code = code
    self.seat = seat
  }
}

// The macro warns of a relationship to a type that it knows.
private typealias AlbumKey = String
private typealias AlbumPictures = [Data]

@Model
private final class Album {
  @Relationship(.unique) var key: AlbumKey
  @Relationship(deleteRule: .cascade, originalName: "photos") var pictures: AlbumPictures
  init(key: AlbumKey, pictures: AlbumPictures) {
    self.key = key
    self.pictures = pictures
  }
}
