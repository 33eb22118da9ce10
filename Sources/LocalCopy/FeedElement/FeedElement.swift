/// Fills a structure straight from the bytes of a feed, several times faster than `Decodable` alone.
///
///     @FeedElement
///     struct Quake: Decodable {
///       @FeedElement
///       struct Properties: Decodable {
///         var mag: Double?
///         var time: Date
///       }
///       var id: String
///       var properties: Properties
///     }
///
/// It stands on structures whose `init(from:)` the compiler writes, and does what that does: `CodingKeys` rename
/// members and leave some out, an optional property may be null or missing, a constant with a value keeps it.
/// ``LocalCopy`` uses it by itself; values, skipped elements and their errors are those of `Decodable`, which stays.
///
/// Strings, Booleans, integers, `Double`, `Float`, `Date`, structures with the macro, and optionals and arrays of
/// all these are taken from the bytes. A property of another `Decodable` type, such as an enumeration or a dictionary,
/// is decoded by its `init(from:)`, which costs what it costs without the macro and sees coding paths that begin
/// at the property. An element with more than 64 properties in one structure is left to `Decodable`.
///
/// An `init(from:)` in an extension, which the macro can't see, isn't called: don't put the macro on such a type.
@attached(extension, conformances: FeedElement, names: named(init), named(_feedKeys))
public macro FeedElement() =
  #externalMacro(module: "SwiftDataMacros", type: "FeedElementMacro")

/// A structure that is filled straight from the bytes of a feed: what `@FeedElement` conforms it to.
public protocol FeedElement: Decodable, _FeedValue {}

/// What `@FeedElement` writes down for a property.
extension _FeedReader {
  /// No value yet, of the type that a property has.
  @inlinable @inline(__always)
  public static func nothing<Element, Value>(_ property: (Element) -> Value) -> Value? { nil }

  /// Takes the value of a property.
  @inlinable @inline(__always)
  public mutating func take<Value: _FeedValue>(
    _ value: inout Value?
  ) throws(_FeedMismatch) {
    value = try Value(_feed: &self)
  }

  /// Takes the value of a property that is decoded by its `init(from:)`.
  public mutating func take<Value: Decodable>(_ value: inout Value?) throws(_FeedMismatch) {
    value = try general(Value.self)
  }

  /// Takes the value of a property that could be taken in both ways.
  @inlinable @inline(__always)
  public mutating func take<Value: _FeedValue & Decodable>(
    _ value: inout Value?
  ) throws(_FeedMismatch) {
    value = try Value(_feed: &self)
  }

  /// The value of a property that has to come.
  @inlinable @inline(__always)
  public static func present<Value>(_ value: consuming Value?) throws(_FeedMismatch) -> Value {
    guard let value else { throw _FeedMismatch() }
    return value
  }

  /// The value of an optional property, which may be missing.
  @inlinable @inline(__always)
  public static func present<Value>(
    _ value: consuming Value??
  ) throws(_FeedMismatch) -> Value? {
    value ?? nil
  }
}
