import Foundation

/// Joins texts into a list in the locale's language, as Apple's `ListFormatter` does.
open class ListFormatter: Formatter, @unchecked Sendable {
  /// The locale; the current locale when it is nil.
  open var locale: Locale! = .current
  /// The formatter of the items; without one, items are written by their description.
  open var itemFormatter: Formatter?

  /// The texts as a list in the current locale: "a, b, and c".
  open class func localizedString(byJoining strings: [String]) -> String {
    strings.formatted(.list(type: .and))
  }

  /// The items as a list; nil when the item formatter returns no text for one of them.
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

  /// Returns the list of an array's elements as a text; nil for anything other than an array.
  open override func string(for object: Any?) -> String? {
    (object as? [Any]).flatMap(string(from:))
  }
}
