import Foundation

extension String {
  /// The text of a key in the user's language, with its values filled in.
  ///
  /// - Parameters:
  ///   - keyAndValue: The key with its values; it is also the text when no table has the key.
  ///   - table: The name of the strings file; nil for `Localizable`.
  ///   - bundle: The bundle with the tables; nil for the main one.
  ///   - locale: The locale of numbers.
  ///   - comment: A remark for translators.
  public init(
    localized keyAndValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
    locale: Locale = .current, comment: StaticString? = nil
  ) {
    self.init(
      localized: keyAndValue, defaultValue: nil, table: table, bundle: bundle, locale: locale)
  }

  /// The text of a key in the user's language, with a default text for a key that no table has.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - defaultValue: The text when no table has the key, and the values.
  ///   - table: The name of the strings file; nil for `Localizable`.
  ///   - bundle: The bundle with the tables; nil for the main one.
  ///   - locale: The locale of numbers.
  ///   - comment: A remark for translators.
  public init(
    localized key: StaticString, defaultValue: LocalizationValue, table: String? = nil,
    bundle: Bundle? = nil, locale: Locale = .current, comment: StaticString? = nil
  ) {
    let value = LocalizationValue(key: "\(key)", arguments: defaultValue.arguments)
    self.init(
      localized: value, defaultValue: defaultValue.key, table: table, bundle: bundle, locale: locale
    )
  }

  private init(
    localized value: LocalizationValue, defaultValue: String?, table: String?, bundle: Bundle?,
    locale: Locale
  ) {
    let format = (bundle ?? .main).localizedString(
      forKey: value.key, value: defaultValue ?? value.key, table: table)
    // Without values, the text isn't a format: its percent signs are not doubled.
    self = value.arguments.isEmpty ? format : value.text(of: format, locale)
  }
}

extension String.LocalizationValue {
  init(key: String, arguments: [Argument]) {
    self.key = key
    self.arguments = arguments
  }

  /// Returns the format with its specifiers replaced by the values.
  ///
  /// A format comes from a file that may not match the values: specifiers without a value stay as they are written, and
  /// a value is never read as a type other than its own.
  func text(of format: String, _ locale: Locale) -> String {
    var text = ""
    var next = 0
    var rest = Substring(format)
    while let percent = rest.firstIndex(of: "%") {
      text += rest[..<percent]
      rest = rest[percent...]
      if rest.hasPrefix("%%") {
        text += "%"
        rest = rest.dropFirst(2)
        continue
      }
      guard
        let match = rest.prefixMatch(
          of:
            /%(?:([0-9]{1,3})\$)?([-+ 0#']*[0-9]{0,3}(?:\.[0-9]{1,3})?)(?:hh|h|ll|l|q|z)?([@diufFeEgGxXs])/
        )
      else {
        text += "%"
        rest = rest.dropFirst()
        continue
      }
      let place = match.1.flatMap { Int($0) }.map { $0 - 1 } ?? next
      next = place + 1
      if arguments.indices.contains(place) {
        text += Self.text(of: arguments[place], flags: String(match.2), locale)
      } else {
        text += match.0
      }
      rest = rest[match.range.upperBound...]
    }
    return text + rest
  }

  private static func text(of argument: Argument, flags: String, _ locale: Locale) -> String {
    switch argument {
    case .text(let text): text
    case .integer(let value): String(format: "%\(flags)lld", locale: locale, value)
    case .unsigned(let value):
      // Foundation's formats have no larger integers.
      value > Int64.max
        ? value.formatted(.number.locale(locale))
        : String(format: "%\(flags)lld", locale: locale, Int64(value))
    case .number(let value): String(format: "%\(flags)f", locale: locale, value)
    }
  }
}
