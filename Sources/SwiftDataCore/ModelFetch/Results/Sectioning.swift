import Foundation

/// How results are put into sections.
struct Sectioning<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  /// Brings the elements of a section together. An array, because an optimised build of a generic type that holds a
  /// descriptor itself asks for a symbol that Foundation on Linux doesn't export.
  let order: [SortDescriptor<Element>]
  /// The text behind the key path; empty where there is none.
  let text: (Element) -> String
  /// The title of a section whose elements have the text.
  let title: (String) -> SectionTitle
}

extension Sectioning where SectionTitle == String {
  init(_ keyPath: KeyPath<Element, String>) {
    self.init(
      keyPath: keyPath, order: [SortDescriptor(keyPath.sendable)],
      text: { $0[keyPath: keyPath] }, title: \.self)
  }

  /// Elements without a title are in the section of the empty one.
  init(_ keyPath: KeyPath<Element, String?>) {
    self.init(
      keyPath: keyPath, order: [SortDescriptor(keyPath.sendable)],
      text: { $0[keyPath: keyPath] ?? "" }, title: \.self)
  }
}

extension KeyPath {
  /// The key path as sort descriptors want it.
  ///
  /// Sendable is a promise without a table of functions. Key paths to properties of models are literals, which capture
  /// nothing.
  var sendable: any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}

extension FetchDescriptor {
  /// The descriptor in an order that leaves nothing open: sections first, the identifiers last.
  func ordered(by section: [SortDescriptor<T>]) -> FetchDescriptor<T> {
    var ordered = self
    ordered.sortBy =
      section + sortBy + [SortDescriptor(\T.persistentModelID)]
    return ordered
  }
}
