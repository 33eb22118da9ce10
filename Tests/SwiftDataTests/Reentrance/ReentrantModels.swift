import Foundation
import SwiftData

/// Callbacks of a program that the framework calls; the current test sets their action.
final class Hooks: @unchecked Sendable {
  // Unchecked: each is used by one thread at a time.
  @TaskLocal static var current: Hooks?

  enum Point: Sendable {
    case observed, notified, willSet, didSet, undoGroup, encoding, decoding, comparing, transforming
    case untransforming, enumerating, batch, migrating, ending, remote
  }

  /// The maximum depth of nested calls: deeper recursion would continue until the stack overflows.
  static let deepest = 60

  private var point: Point?
  private var action: () -> Void = {}
  /// The number of nested calls in progress.
  private(set) var depth = 0
  private(set) var calls = 0
  private(set) var isTooDeep = false

  static func pass(_ point: Point) { current?.pass(point) }

  func arm(_ point: Point, _ action: @escaping () -> Void) {
    self.point = point
    self.action = action
  }

  func disarm() {
    point = nil
    action = {}
  }

  func pass(_ point: Point) {
    guard point == self.point, !isTooDeep else { return }
    guard depth < Self.deepest else {
      isTooDeep = true
      return
    }
    calls += 1
    depth += 1
    defer { depth -= 1 }
    // A model released during the action doesn't count as another call: programs that do this recurse by themselves.
    if point == .ending { self.point = nil }
    action()
  }
}

/// A value whose coding and comparison are a program's own code.
struct Note: Codable, Equatable {
  var text: String

  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    Hooks.pass(.decoding)
  }

  func encode(to encoder: any Encoder) throws {
    Hooks.pass(.encoding)
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  static func == (one: Note, other: Note) -> Bool {
    Hooks.pass(.comparing)
    return one.text == other.text
  }
}

/// A type that isn't Codable.
struct Dye: Equatable {
  var code: UInt8
}

final class DyeTransformer: ValueTransformer, @unchecked Sendable {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? {
    Hooks.pass(.transforming)
    return (value as? Dye).map { Data([$0.code]) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    Hooks.pass(.untransforming)
    return (value as? Data)?.first.map(Dye.init)
  }
}

@Model
final class ReentrantKnot {
  var name: String {
    willSet { Hooks.pass(.willSet) }
    didSet { Hooks.pass(.didSet) }
  }
  var number: Int
  @Attribute(.codable) var note = Note("")
  @Attribute(.transformable(by: DyeTransformer.self)) var dye: Dye?
  var parent: ReentrantKnot?
  @Relationship(inverse: \ReentrantKnot.parent) var children: [ReentrantKnot] = []
  @Relationship(inverse: \ReentrantRing.knots) var rings: [ReentrantRing] = []

  init(_ name: String, number: Int = 0) {
    self.name = name
    self.number = number
  }

  deinit { Hooks.pass(.ending) }
}

@Model
final class ReentrantRing {
  var name: String
  var knots: [ReentrantKnot] = []
  init(_ name: String) { self.name = name }
}

/// The models that batches delete by predicate.
@Model
final class Crumb {
  var number: Int
  init(_ number: Int) { self.number = number }
}
