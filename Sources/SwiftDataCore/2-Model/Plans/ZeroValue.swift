import Foundation

/// Makes a value of a type without any input, if the type has an obvious one: the value that a model returns for a
/// property that was never loaded and can't be loaded any more.
package enum ZeroValue {
  package static func make<Value>(_ type: Value.Type) -> Value? {
    untyped(type) as? Value
  }

  /// Makes a value for a getter, which can't throw: the type's empty value, or `other` where it has none.
  ///
  /// Without either the program ends with `message`, the only case in which a read does (decision 0009): no value of
  /// such a type can be made without input.
  static func makeOrStop<Value>(
    else other: @autoclosure () -> Value? = nil, _ message: @autoclosure () -> String
  ) -> Value {
    guard let value = make(Value.self) ?? other() else { preconditionFailure(message()) }
    return value
  }

  private static func untyped(_ type: any Any.Type) -> Any? {
    if let optional = type as? any OptionalType.Type { return optional.makeOptional(nil) }
    switch type {
    case is Bool.Type: return false
    case is String.Type: return ""
    case is Date.Type: return Date(timeIntervalSinceReferenceDate: 0)
    case is Data.Type: return Data()
    case is UUID.Type: return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    case is URL.Type: return URL(string: "about:blank")
    case is Decimal.Type: return Decimal(0)
    default: break
    }
    if let number = type as? any Numeric.Type { return zero(number) }
    if let cases = type as? any CaseIterable.Type { return first(cases) }
    if let raw = type as? any RawRepresentable.Type, let value = fromZero(raw) { return value }
    if let list = type as? any RangeReplaceableCollection.Type { return empty(list) }
    if let set = type as? any SetAlgebra.Type { return emptySet(set) }
    if let dictionary = type as? any ExpressibleByDictionaryLiteral.Type {
      return noPairs(dictionary)
    }
    if let decodable = type as? any Decodable.Type { return decoded(decodable) }
    return nil
  }

  private static func zero<Number: Numeric>(_ type: Number.Type) -> Any { Number.zero }

  private static func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? {
    Cases.allCases.first
  }

  private static func fromZero<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? {
    if let zero = make(Raw.RawValue.self), let value = Raw(rawValue: zero) { return value }
    guard Raw.RawValue.self is any BinaryInteger.Type else {
      return TypeMetadata.firstCase(of: type)
    }
    for number in 0...255 {
      if let raw = integer(number, as: Raw.RawValue.self), let value = Raw(rawValue: raw) {
        return value
      }
    }
    return nil
  }

  private static func integer<Value>(_ number: Int, as type: Value.Type) -> Value? {
    guard let integer = type as? any BinaryInteger.Type else { return nil }
    return exactly(number, as: integer) as? Value
  }

  private static func exactly<Number: BinaryInteger>(_ number: Int, as type: Number.Type) -> Number?
  {
    Number(exactly: number)
  }

  private static func empty<List: RangeReplaceableCollection>(_ type: List.Type) -> Any { List() }
  private static func emptySet<Members: SetAlgebra>(_ type: Members.Type) -> Any { Members() }

  private static func noPairs<Pairs: ExpressibleByDictionaryLiteral>(_ type: Pairs.Type) -> Any {
    Pairs()
  }

  private static func decoded<Value: Decodable>(_ type: Value.Type) -> Any? {
    do {
      return try type.init(from: ProbeDecoder(probe: CompositeProbe(), decoding: type))
    } catch {
      return nil  // nil is the result: the caller reports which type was requested.
    }
  }
}
