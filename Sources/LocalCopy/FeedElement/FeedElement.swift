import WireFormats

/// Fills a structure directly from the bytes of a feed, several times faster than `Decodable` alone.
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
/// The macro applies to structures whose `init(from:)` is synthesized, and behaves like that initializer: `CodingKeys`
/// rename members and exclude some, an optional property may be null or missing, a constant with a value keeps it.
/// ``LocalCopy`` uses the macro's code automatically; values, skipped elements and their errors are those of
/// `Decodable`, which remains.
///
/// Strings, Booleans, integers, `Double`, `Float`, `Date`, structures with the macro, and optionals and arrays of all
/// these are read from the bytes. A property of another `Decodable` type, such as an enumeration or a dictionary, is
/// decoded through its `init(from:)`, which costs as much as without the macro and sees coding paths that start at the
/// property. An element with more than 64 properties in one structure is left to `Decodable`.
///
/// An `init(from:)` in an extension, which the macro can't see, isn't called: don't put the macro on such a type.
@attached(extension, conformances: FeedElement, names: named(init), named(_feedKeys))
public macro FeedElement() =
  #externalMacro(module: "SwiftDataMacros", type: "FeedElementMacro")

/// A structure that is filled directly from the bytes of a feed; `@FeedElement` adds the conformance.
public protocol FeedElement: Decodable, SendableMetatype, _FeedValue {}

/// The calls that `@FeedElement` generates for a property.
extension _FeedReader {
  /// Returns nil, typed as an optional of a property's type.
  @inlinable @inline(__always)
  public static func nothing<Element, Value>(_ property: (Element) -> Value) -> Value? { nil }

  /// Reads the value of a property.
  @inlinable @inline(__always)
  public mutating func take<Value: _FeedValue>(
    _ value: inout Value?
  ) throws(_FeedMismatch) {
    value = try Value(_feed: &self)
  }

  /// Reads the value of a property that is decoded through its `init(from:)`.
  public mutating func take<Value: Decodable>(_ value: inout Value?) throws(_FeedMismatch) {
    value = try general(Value.self)
  }

  /// Reads the value of a property that could be read in both ways.
  @inlinable @inline(__always)
  public mutating func take<Value: _FeedValue & Decodable>(
    _ value: inout Value?
  ) throws(_FeedMismatch) {
    value = try Value(_feed: &self)
  }

  /// Returns the value of a required property.
  @inlinable @inline(__always)
  public static func present<Value>(_ value: consuming Value?) throws(_FeedMismatch) -> Value {
    guard let value else { throw .memberName }
    return value
  }

  /// Returns the value of an optional property, which may be missing.
  @inlinable @inline(__always)
  public static func present<Value>(
    _ value: consuming Value??
  ) throws(_FeedMismatch) -> Value? {
    value ?? nil
  }
}
