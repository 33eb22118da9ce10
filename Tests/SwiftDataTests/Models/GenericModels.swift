import SwiftData

enum GenericTone: String, Codable { case low, high }

struct GenericFrame: Codable, Hashable {
  var width: Int
  var note: String?
}

/// A class with properties of its parameter's type: its code is compiled once for all types.
@Model
final class GenericBox<Value: Codable & Equatable & Sendable> {
  var value: Value
  var maybe: Value?
  var list: [Value] = []
  @Attribute(.codable) var opaque: Value

  init(_ value: Value, maybe: Value? = nil) {
    self.value = value
    self.maybe = maybe
    opaque = value
  }
}

@Model
class GenericBase<Value: Codable & Equatable & Sendable> {
  var value: Value
  var number: Int

  init(_ value: Value, number: Int) {
    self.value = value
    self.number = number
  }
}

/// A class that has inherited its properties from a generic one.
@Model
final class GenericHeir: GenericBase<String> {
  var extra = 0

  init(number: Int) { super.init("\(number)", number: number) }
}

/// A parameter that is known to have raw values, of no known type.
@Model
final class GenericScale<Step: RawRepresentable & Codable & Equatable> {
  var step: Step
  var maybe: Step?

  init(_ step: Step, maybe: Step? = nil) {
    self.step = step
    self.maybe = maybe
  }
}

/// A parameter that is a model.
@Model
final class GenericLink<Target: PersistentModel> {
  var target: Target?

  init(_ target: Target?) { self.target = target }
}
