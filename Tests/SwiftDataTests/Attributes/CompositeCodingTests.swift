import SwiftData
import Testing

/// A key made of any text.
private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A value that notes all keys it finds.
struct Compartment: Codable {
  var size: Int
  private(set) var found: [String] = []

  init(size: Int) { self.size = size }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    size = try container.decode(Int.self, forKey: AnyKey(stringValue: "size"))
    found = container.allKeys.map(\.stringValue).sorted()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode(size, forKey: AnyKey(stringValue: "size"))
  }
}

/// A value whose members' names begin alike.
struct Casing: Codable {
  var a: Compartment
  var ab: Compartment
  var abc: Int?
  private(set) var found: [String] = []

  enum CodingKeys: String, CodingKey { case a, ab, abc }

  init(abc: Int?) {
    a = Compartment(size: 1)
    ab = Compartment(size: 2)
    self.abc = abc
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    a = try container.decode(Compartment.self, forKey: .a)
    ab = try container.decode(Compartment.self, forKey: .ab)
    abc = try container.decodeIfPresent(Int.self, forKey: .abc)
    found = container.allKeys.map(\.stringValue).sorted()
  }
}

/// A value whose member was once called otherwise.
struct Inscription: Codable, Equatable {
  var language: String
  var text: String?

  enum CodingKeys: String, CodingKey { case language, text, words }

  init(language: String, text: String?) {
    self.language = language
    self.text = text
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    language = try container.decode(String.self, forKey: .language)
    text =
      try container.decodeIfPresent(String.self, forKey: .text)
      ?? container.decodeIfPresent(String.self, forKey: .words)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(language, forKey: .language)
    try container.encodeIfPresent(text, forKey: .text)
  }
}

/// A value that checks for a member.
struct Clasp: Codable, Equatable {
  var width: Int
  var note: String

  enum CodingKeys: String, CodingKey { case width, note }

  init(width: Int, note: String) {
    self.width = width
    self.note = note
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    width = try container.decode(Int.self, forKey: .width)
    note = try container.contains(.note) ? container.decode(String.self, forKey: .note) : "none"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(width, forKey: .width)
    if note != "none" { try container.encode(note, forKey: .note) }
  }
}

struct Extent: Codable, Equatable {
  var width: Int
  var height: Int

  enum CodingKeys: String, CodingKey { case width, height }
}

/// A value that writes its members by containers and encoders inside its own.
struct Frame: Codable, Equatable {
  var inner: Extent
  var outer: Extent
  var width: Int

  enum CodingKeys: String, CodingKey { case inner, outer, width }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(width, forKey: .width)
    var nested = container.nestedContainer(keyedBy: Extent.CodingKeys.self, forKey: .inner)
    try nested.encode(inner.width, forKey: .width)
    try nested.encode(inner.height, forKey: .height)
    try outer.encode(to: container.superEncoder(forKey: .outer))
  }
}

/// A value that writes a key that it doesn't read.
struct Overfull: Codable {
  var width: Int

  enum CodingKeys: String, CodingKey { case width, weight }

  init(width: Int) { self.width = width }

  init(from decoder: any Decoder) throws {
    width = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .width)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(width, forKey: .width)
    try container.encode(width * 2, forKey: .weight)
  }
}

/// A value that contains another of its kind, and checks for it.
struct Doll: Codable, Equatable {
  var size: Int
  private var inner: [Doll]

  enum CodingKeys: String, CodingKey { case size, inner }

  init(size: Int, inner: [Doll] = []) {
    self.size = size
    self.inner = inner
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    size = try container.decode(Int.self, forKey: .size)
    inner = try container.contains(.inner) ? [container.decode(Doll.self, forKey: .inner)] : []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(size, forKey: .size)
    for doll in inner { try container.encode(doll, forKey: .inner) }
  }
}

/// A value that tries to read another of its kind.
struct Tassel: Codable, Equatable {
  var size: Int
  private var inner: [Tassel]

  enum CodingKeys: String, CodingKey { case size, inner }

  init(size: Int, inner: [Tassel] = []) {
    self.size = size
    self.inner = inner
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    size = try container.decode(Int.self, forKey: .size)
    do { inner = [try container.decode(Tassel.self, forKey: .inner)] } catch { inner = [] }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(size, forKey: .size)
    for tassel in inner { try container.encode(tassel, forKey: .inner) }
  }
}

/// A value that tries to read a list.
struct Fringe: Codable, Equatable {
  var width: Int
  var threads: [String]

  enum CodingKeys: String, CodingKey { case width, threads }

  init(width: Int, threads: [String]) {
    self.width = width
    self.threads = threads
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    width = try container.decode(Int.self, forKey: .width)
    do { threads = try container.decode([String].self, forKey: .threads) } catch { threads = [] }
  }
}

@Model
final class Carpet {
  var fringe: Fringe
  init(_ fringe: Fringe) { self.fringe = fringe }
}

@Model
final class Tapestry {
  var tassel: Tassel
  @Attribute(.codable) var fringe: Fringe

  init(tassel: Tassel, fringe: Fringe) {
    self.tassel = tassel
    self.fringe = fringe
  }
}

@Model
final class DollCase {
  var doll: Doll
  init(doll: Doll) { self.doll = doll }
}

@Model
final class Locket {
  var casing: Casing
  var inscription: Inscription
  var clasp: Clasp?
  var frame: Frame

  init(abc: Int? = nil, text: String? = nil) {
    casing = Casing(abc: abc)
    inscription = Inscription(language: "la", text: text)
    frame = Frame(
      inner: Extent(width: 1, height: 2), outer: Extent(width: 3, height: 4), width: 5)
  }
}

@Model
final class Pannier {
  var contents: Overfull
  init(width: Int) { contents = Overfull(width: width) }
}

@Suite("Structures in columns with their own coding")
struct CompositeCodingTests {
  @Test("a structure that contains itself is JSON")
  func recursion() throws {
    let container = try memoryContainer(DollCase.self)
    let doll = Doll(size: 3, inner: [Doll(size: 2, inner: [Doll(size: 1)])])
    let context = ModelContext(container)
    context.insert(DollCase(doll: doll))
    try context.save()
    let stored = try ModelContext(container).fetch(FetchDescriptor<DollCase>())
    #expect(stored.map(\.doll) == [doll])
  }

  /// The locket as another context reads it.
  private func stored(_ locket: Locket) throws -> Locket {
    let context = ModelContext(try memoryContainer(Locket.self))
    context.insert(locket)
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Locket>())
    return try #require(found.first)
  }

  @Test("find the keys of their own members among equal names of others")
  func allKeys() throws {
    let full = try stored(Locket(abc: 3)).casing
    #expect(full.found == ["a", "ab", "abc"])
    #expect(full.a.found == ["size"] && full.ab.found == ["size"])
    #expect(full.a.size == 1 && full.ab.size == 2 && full.abc == 3)
  }

  @Test("find no key of a member without a value")
  func absentKeys() throws {
    let casing = try stored(Locket(abc: nil)).casing
    #expect(casing.found == ["a", "ab"])
    #expect(casing.abc == nil)
  }

  @Test("may look for a member under an earlier name")
  func earlierName() throws {
    let empty = Inscription(language: "la", text: nil)
    #expect(try stored(Locket()).inscription == empty)
    #expect(try stored(Locket(text: "amor")).inscription.text == "amor")
  }

  @Test("may ask whether a member is there", arguments: ["none", "tight"])
  func contains(note: String) throws {
    let locket = Locket()
    locket.clasp = Clasp(width: 2, note: note)
    #expect(try stored(locket).clasp == Clasp(width: 2, note: note))
  }

  @Test("may write their members by nested containers and encoders")
  func nestedContainers() throws {
    let locket = Locket()
    #expect(try stored(locket).frame == locket.frame)
  }

  @Test("that write more than they read are refused by a save, which names the property")
  func overfull() throws {
    let context = ModelContext(try memoryContainer(Pannier.self))
    context.insert(Pannier(width: 1))
    #expect {
      try context.save()
    } throws: { error in
      error as? SwiftDataError == .modelValidationFailure
        && "\(error)".contains("Pannier.contents") && "\(error)".contains("Overfull")
    }
  }
  @Test("that only try to read what is no column are JSON, or refused with the reason")
  func tried() throws {
    let tassel = Tassel(size: 2, inner: [Tassel(size: 1)])
    let fringe = Fringe(width: 3, threads: ["red"])
    let context = ModelContext(try memoryContainer(Tapestry.self, Carpet.self))
    context.insert(Tapestry(tassel: tassel, fringe: fringe))
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Tapestry>())
    #expect(found.map(\.tassel) == [tassel] && found.map(\.fringe) == [fringe])
    context.insert(Carpet(fringe))
    #expect {
      try context.save()
    } throws: { error in
      error as? SwiftDataError == .modelValidationFailure && "\(error)".contains("with try?")
    }
  }
}
