/// Results of a fetch that have the same section title.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Identifiable, Equatable
{
  /// What the elements have in common.
  public let title: SectionTitle
  private var elements: [Element]

  package init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  public var id: SectionTitle { title }
  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }

  /// - Precondition: `position` is at least ``startIndex`` and less than ``endIndex``.
  public subscript(position: Int) -> Element { elements[position] }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Whether both have the same title and the same models in the same order, whatever the models' values are.
  public static func == (lhs: ResultsSection, rhs: ResultsSection) -> Bool {
    lhs.title == rhs.title && lhs.elements == rhs.elements
  }
}
