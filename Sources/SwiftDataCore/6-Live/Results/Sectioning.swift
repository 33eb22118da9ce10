import Foundation

/// The division of results into sections.
struct Sectioning<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  /// The order that groups the elements of a section. An array, because an optimised build of a generic type that
  /// stores a descriptor directly needs a symbol that Foundation on Linux doesn't export.
  let order: [SortDescriptor<Element>]
  /// The text at the key path; empty when there is none.
  let text: (Element) -> String
  /// Makes the title of a section from the text of its elements.
  let title: (String) -> SectionTitle
}

extension Sectioning {
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for titles that can't be read without the risk of a trap.
  func check() throws {
    guard ForcedPath.isForced(keyPath), ForcedPath(keyPath) == nil else { return }
    throw SwiftDataError.unsupportedKeyPath.explained(
      "The sections of \(Element.self) unwrap a computed value by force, which would end the program at"
        + " nil. Use ? in place of ! in their key path.")
  }
}

extension Sectioning where SectionTitle == String {
  /// Puts elements for which the key path unwraps nil by force into the section of the empty title.
  init(_ keyPath: KeyPath<Element, String>) {
    let mayFail = ForcedPath.mayFail(keyPath)
    self.init(
      keyPath: keyPath, order: [SortDescriptor(keyPath.sendable)],
      text: { mayFail?($0) == true ? "" : $0[keyPath: keyPath] },
      title: \.self)
  }

  /// Puts elements without a title into the section of the empty title.
  init(_ keyPath: KeyPath<Element, String?>) {
    let mayFail = ForcedPath.mayFail(keyPath)
    self.init(
      keyPath: keyPath, order: [SortDescriptor(keyPath.sendable)],
      text: { mayFail?($0) == true ? "" : $0[keyPath: keyPath] ?? "" },
      title: \.self)
  }
}

extension KeyPath {
  /// The key path in the form that sort descriptors require.
  ///
  /// `Sendable` has no witness table. Key paths to properties of models are literals, which capture nothing.
  var sendable: any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}

extension FetchDescriptor {
  /// The descriptor with a complete order: sections first, the identifiers last.
  func ordered(by section: [SortDescriptor<T>]) -> FetchDescriptor<T> {
    var ordered = self
    ordered.sortBy =
      section + sortBy + [SortDescriptor(\T.persistentModelID)]
    return ordered
  }
}
