import Foundation

extension String {
  /// A text to be localized: a key that has format specifiers in place of the interpolated values, and these values.
  ///
  /// Interpolated values become `%@` for texts and objects, `%lld` for integers and `%lf` for floating-point numbers,
  /// as Apple's documentation of `String.LocalizationValue` describes it, so that the keys of an existing strings file
  /// match.
  public struct LocalizationValue: ExpressibleByStringInterpolation, Hashable, Sendable {
    enum Argument: Hashable, Sendable {
      case text(String), integer(Int64), number(Double)
    }

    let key: String
    let arguments: [Argument]

    public init(stringLiteral value: String) {
      key = value.replacingOccurrences(of: "%", with: "%%")
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

      /// Appends an integer as the argument `%lld`.
      public mutating func appendInterpolation<Value: BinaryInteger>(_ value: Value) {
        key += "%lld"
        arguments.append(.integer(Int64(clamping: value)))
      }

      /// Appends a floating-point number as the argument `%lf`.
      public mutating func appendInterpolation<Value: BinaryFloatingPoint>(_ value: Value) {
        key += "%lf"
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
