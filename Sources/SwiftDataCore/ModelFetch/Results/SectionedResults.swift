/// The results of a fetch in sections, in the order of the section titles.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Equatable
{
  private var sections: [ResultsSection<Element, SectionTitle>] = []
  private var places: [SectionTitle: Int] = [:]

  /// Puts elements into sections. A section is where its first element is.
  ///
  /// - Parameters:
  ///   - elements: The elements in order.
  ///   - title: The section that an element belongs to.
  package init(_ elements: some Sequence<Element>, title: (Element) -> SectionTitle) {
    for element in elements {
      let title = title(element)
      if let place = places[title] {
        sections[place].append(element)
      } else {
        places[title] = sections.count
        sections.append(ResultsSection(title: title, elements: [element]))
      }
    }
  }

  package init() {}

  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }

  /// - Precondition: `position` is at least ``startIndex`` and less than ``endIndex``.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  /// The titles in order.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// Whether there is a section of that title.
  public func contains(sectionTitle: SectionTitle) -> Bool { places[sectionTitle] != nil }

  /// The place of the section of that title; nil when there is none.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }

  /// The section of that title; nil when there is none.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[title].map { sections[$0] }
  }

  public static func == (lhs: SectionedResults, rhs: SectionedResults) -> Bool {
    lhs.sections == rhs.sections
  }
}
