import Foundation

/// Joins texts to an enumeration of the locale's language, as Apple's `ListFormatter` does.
open class ListFormatter: Formatter, @unchecked Sendable {
  /// The locale; the current one where none is set.
  open var locale: Locale! = .current
  /// The formatter of items that aren't texts.
  open var itemFormatter: Formatter?

  /// The texts as an enumeration in the current locale: "a, b, and c".
  open class func localizedString(byJoining strings: [String]) -> String {
    strings.formatted(.list(type: .and))
  }

  /// The items as an enumeration; nil where one has no text.
  open func string(from items: [Any]) -> String? {
    var texts: [String] = []
    for item in items {
      if let itemFormatter {
        guard let text = itemFormatter.string(for: item) else { return nil }
        texts.append(text)
      } else {
        texts.append(String(describing: item))
      }
    }
    return texts.formatted(.list(type: .and).locale(locale ?? .current))
  }

  open override func string(for object: Any?) -> String? {
    (object as? [Any]).flatMap(string(from:))
  }
}
