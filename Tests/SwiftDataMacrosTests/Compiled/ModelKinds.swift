import SwiftData

// Models of every form that a class can have. Most of the test is that this file compiles in Swift
// 6 mode with warnings as errors; `CompiledModelTests` checks the behaviour of the models.

enum Mood: String, Codable { case calm, busy }

private struct Secret: Codable { var digits = 7 }

/// Annotations that are only a part of the type; the initial values give the rest.
@Model
final class PartialTypes {
  var codes: Set = [1]
  var names: Array = ["a"]
  var counts: Dictionary = ["a": 1]
  var level: Optional = 5
  init() {}
}

/// Properties of every form.
@Model
public final class Forms {
  public var inferredInteger = 3
  var inferredCall = Date()
  // swift-format-ignore: AlwaysUseLiteralForEmptyCollectionInit
  var inferredArray = [UUID]()
  var inferredCase = Mood.busy
  var table: [String: Int] = [:]
  var negative = -1
  var shorthand: Mood = .calm
  var optionalShorthand: Mood? = .calm
  var explicitNil: Mood? = nil
  var implicitNil: Int?
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var implicitlyUnwrapped: String!
  var product: Double = 60 * 60 * 24
  var choice: Int = Forms.limit > 2 ? 1 : 2
  var closure: Int = { 4 }()
  var lines: String = """
    first
      second
    """
  @Transient var cache: Int = 0
  @Transient var note: String?
  private(set) var revision: Int = 1
  private var hidden: String = "h"
  fileprivate var secret: Secret = Secret()
  static let limit = 3
  @Transient lazy var late: Int = revision + 1
  var computed: Int { inferredInteger * 2 }
  var accessed: Int {
    get { inferredInteger }
    set { inferredInteger = newValue }
  }
  let constant = 5
  var `default`: Int = 1
  #if os(Linux) || os(macOS) || os(Windows)
    var inTakenBranch: Int = 1
  #else
    var inOtherBranch: Int = 1
  #endif
  @available(*, deprecated, message: "old") var old: Int = 0

  public init(_ integer: Int = 4) {
    self.inferredInteger = integer
    if integer > 3 { negative = -2 }
  }

  convenience init(hidden: String) {
    self.init()
    self.hidden = hidden
  }

  func hiddenText() -> String { hidden }
}

/// A class without an initialiser, as in the first example of the framework's documentation.
@Model
class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date = Date(timeIntervalSinceReferenceDate: 0)
  var note: String?
}

extension Quake {
  convenience init(text: String) {
    self.init(code: text, magnitude: 1)
  }
}

@Model final class AllDefaults {
  var number = 1
  var text: String = "x"
}

@Model
class Observed {
  var log: [String] = []
  var clamped: Int = 0 {
    willSet { log.append("will \(newValue) from \(clamped)") }
    didSet {
      log.append("did \(oldValue) to \(clamped)")
      if clamped > 10 { clamped = 10 }
    }
  }
  var named: String {
    didSet(before) {
      guard named != before else { return }
      log.append("from \(before)")
    }
  }
  var inferred = 3 { didSet { log.append("inferred") } }

  init(named: String) {
    self.named = named
  }
}

@Model private final class Hidden { var number: Int = 1; init() {} }
@Model fileprivate class HiddenToo { var number: Int; init(number: Int) { self.number = number } }
@Model open class Open {
  open var name: String
  public init(name: String) { self.name = name }
}
@Model package final class InPackage {
  package var name: String
  package init(name: String) { self.name = name }
}
@Model final class Empty { init() {} }

/// Class names that are common names of generic parameters.
enum Club {
  @Model final class Member {
    var result: Result?
    init() {}
  }
  @Model final class Result { init() {} }
  @Model final class Value { var number = 1; init() {} }
  @Model final class Model { var number = 1; init() {} }
}

struct Outer<Value> {
  @Model final class Inner { var number: Int = 1; init() {} }
  enum Deep<Other> {
    @Model class Innermost { var number: Int; init(number: Int) { self.number = number } }
  }
}

protocol Named {
  var name: String { get set }
  var nickname: String? { get }
}
@Model final class Person: Named {
  var name: String
  var nickname: String?
  init(name: String) { self.name = name }
}

@Model
final class Coded: Codable {
  enum CodingKeys: String, CodingKey { case name, age }
  var name: String
  var age: Int = 0

  init(name: String) { self.name = name }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    self.age = try values.decode(Int.self, forKey: .age)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(age, forKey: .age)
  }
}

class PlainBase {
  var kind = "plain"
  init() {}
}
@Model final class Derived: PlainBase {
  var number: Int = 1
  override init() { super.init() }
}

@Model
final class Fallible {
  var number: Int
  init?(number: Int) {
    guard number > 0 else { return nil }
    self.number = number
  }
  init(text: String) throws {
    guard let number = Int(text) else { throw CancellationError() }
    self.number = number
  }
}

/// Conformances that are written in other forms than as the bare name.
@Model final class Composed: PersistentModel & CustomStringConvertible {
  var number = 1
  var description: String { "\(number)" }
  init() {}
}
@Model final class Nonisolated: nonisolated PersistentModel { var number = 1; init() {} }

@Model class Vehicle {
  var name: String?
  init() {}
}
@Model final class Tram: Vehicle {
  @Transient var formerNames: [String?] = []
  override var name: String? { didSet { formerNames.append(oldValue) } }
  override init() { super.init() }
}

@Model
final class ConditionallyAnnotated {
  #if os(Linux) || os(macOS) || os(Windows)
    @Attribute(.unique)
  #endif
  var code = 1
  #if os(Linux) || os(macOS) || os(Windows)
    @Transient
  #endif
  var cache = 0
  init() {}
}

/// A model with nested types whose names the framework and Foundation use too.
@Model
final class Shadowing {
  struct Schema: Codable { var version = 1 }
  struct Data: Codable { var bytes = 2 }
  struct KeyPath {}
  var schema: Schema = Schema()
  var data: Data?
  init() {}
}

/// Uses the macro's members under the names that handwritten code uses.
extension Quake {
  func touchGeneratedMembers(_ backing: any BackingData<Quake>) -> Int {
    access(keyPath: \.code)
    let changed = withMutation(keyPath: \.code) { 1 }
    let current: any BackingData<Quake> = _$backingData
    persistentBackingData = current
    let registrar: ObservationRegistrar = _$observationRegistrar
    _ = (registrar, Quake(backingData: backing), _SwiftDataNoType.self)
    return changed
  }
}
