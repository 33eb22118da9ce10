import Foundation

/// The text of a log message with its values, each shown or hidden according to its privacy.
///
/// The rules are those of Apple's documentation of `OSLogMessage` and `Logger`: numbers are public by default, texts
/// and objects private.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  /// The message as it is logged.
  public let text: String

  public init(stringLiteral value: String) { text = value }
  public init(stringInterpolation interpolation: OSLogInterpolation) { text = interpolation.text }
}

/// The parts of a log message, in their order.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
  var text = ""

  public init(literalCapacity: Int, interpolationCount: Int) {
    text.reserveCapacity(literalCapacity + 8 * interpolationCount)
  }

  public mutating func appendLiteral(_ literal: String) { text += literal }

  /// Adds a number, shown by default.
  public mutating func appendInterpolation<Value: BinaryInteger>(
    _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown("\(value())", isScalar: true)
  }

  /// Adds a number, shown by default.
  public mutating func appendInterpolation<Value: BinaryFloatingPoint>(
    _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown("\(value())", isScalar: true)
  }

  /// Adds a number with a fixed number of decimals, shown by default.
  public mutating func appendInterpolation<Value: BinaryFloatingPoint>(
    _ value: @autoclosure () -> Value, format: OSLogFloatFormatting, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown(format.text(of: Double(value())), isScalar: true)
  }

  /// Adds a Boolean value, shown by default.
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> Bool, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown("\(value())", isScalar: true)
  }

  /// Adds a text, hidden by default.
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> String, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown(value(), isScalar: false)
  }

  /// Adds a value by its description, hidden by default.
  @_disfavoredOverload
  public mutating func appendInterpolation<Value: CustomStringConvertible>(
    _ value: @autoclosure () -> Value, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown(value().description, isScalar: false)
  }

  /// Adds a type's name, hidden by default.
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> any Any.Type, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown("\(value())", isScalar: false)
  }

  /// Adds an error by its text, hidden by default.
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> any Error, privacy: OSLogPrivacy = .auto
  ) {
    text += privacy.shown("\(value())", isScalar: false)
  }
}

/// The format of a floating-point number in a log message.
public struct OSLogFloatFormatting: Sendable {
  private let precision: Int

  /// Six decimals, as in `printf`'s `%f`.
  public static let fixed = OSLogFloatFormatting(precision: 6)

  /// - Parameter precision: The number of decimals, 0 to 100.
  public static func fixed(precision: Int) -> OSLogFloatFormatting {
    OSLogFloatFormatting(precision: min(max(0, precision), 100))
  }

  func text(of value: Double) -> String {
    String(format: "%.*f", precision, value)
  }
}
