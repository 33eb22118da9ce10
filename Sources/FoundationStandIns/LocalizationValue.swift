import Foundation

extension String {
  /// A text to be localized: a key that has format specifiers in place of the interpolated values, and these values.
  ///
  /// Interpolated values become the specifiers of Apple's `String.LocalizationValue`, so that the keys of an existing
  /// strings file match: `%@` for texts and objects, `%lld` and `%llu` for `Int`, `UInt` and integers of 64 bits, `%d`
  /// and `%u` for smaller ones, `%lf` for `Double` and `CGFloat`, `%f` for `Float`. A text without values is the key as
  /// it is; in one with values, a percent sign is doubled.
  public struct LocalizationValue: ExpressibleByStringInterpolation, Hashable, Sendable {
    enum Argument: Hashable, Sendable {
      case text(String), integer(Int64), unsigned(UInt64), number(Double)
    }

    let key: String
    let arguments: [Argument]

    public init(stringLiteral value: String) {
      key = value
      arguments = []
    }

    /// - Parameter value: The key; it is not interpolated.
    public init(_ value: String) { self.init(stringLiteral: value) }

    public init(stringInterpolation interpolation: StringInterpolation) {
      key = interpolation.key
      arguments = interpolation.arguments
    }

    /// The parts of an interpolated text.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
      var key = ""
      var arguments: [Argument] = []

      public init(literalCapacity: Int, interpolationCount: Int) {
        key.reserveCapacity(literalCapacity + 4 * interpolationCount)
      }

      public mutating func appendLiteral(_ literal: String) {
        key += literal.replacingOccurrences(of: "%", with: "%%")
      }

      /// Appends a text as the argument `%@`.
      public mutating func appendInterpolation(_ value: String) {
        key += "%@"
        arguments.append(.text(value))
      }

      /// Appends an integer as the argument `%lld`, `%llu`, `%d` or `%u`, by its type; one of more than 64 bits as the
      /// argument `%@`.
      public mutating func appendInterpolation<Value: BinaryInteger>(_ value: Value) {
        switch Value.self {
        case is Int.Type, is Int64.Type: append("%lld", value)
        case is Int8.Type, is Int16.Type, is Int32.Type: append("%d", value)
        case is UInt.Type, is UInt64.Type: append("%llu", value)
        case is UInt8.Type, is UInt16.Type, is UInt32.Type: append("%u", value)
        default: appendInterpolation(String(describing: value))
        }
      }

      private mutating func append(_ specifier: String, _ value: some BinaryInteger) {
        key += specifier
        arguments.append(
          type(of: value).isSigned
            ? .integer(Int64(truncatingIfNeeded: value))
            : .unsigned(UInt64(truncatingIfNeeded: value)))
      }

      /// Appends a floating-point number as the argument `%lf`, or `%f` for `Float`.
      public mutating func appendInterpolation<Value: BinaryFloatingPoint>(_ value: Value) {
        key += Value.self is Float.Type ? "%f" : "%lf"
        arguments.append(.number(Double(value)))
      }

      /// Appends a value in a format as the argument `%@`.
      public mutating func appendInterpolation<Style: FormatStyle>(
        _ value: Style.FormatInput, format: Style
      ) where Style.FormatOutput == String {
        appendInterpolation(format.format(value))
      }

      /// Appends the description of a value as the argument `%@`.
      @_disfavoredOverload
      public mutating func appendInterpolation<Value>(_ value: Value) {
        appendInterpolation(String(describing: value))
      }
    }
  }
}
