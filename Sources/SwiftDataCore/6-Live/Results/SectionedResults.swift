/// The results of a fetch in sections, in the order of the section titles. Models are loaded when they are read.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Equatable
{
  /// The titles in order.
  public let sectionTitles: [SectionTitle]
  /// The position of the first model of each section, followed by the number of all models.
  private let starts: [Int]
  private let results: FetchResultsCollection<Element>
  private let positions: [SectionTitle: Int]

  /// - Parameters:
  ///   - results: All models, section by section.
  ///   - title: Makes a section's title from its text.
  init(
    _ results: FetchResultsCollection<Element>, _ spans: SectionSpans,
    title: (String) -> SectionTitle
  ) {
    self.results = results
    sectionTitles = spans.titles.map(title)
    starts = spans.starts
    positions = Dictionary(zip(sectionTitles, 0...), uniquingKeysWith: { first, _ in first })
  }

  package init() {
    results = FetchResultsCollection(count: 0, batchSize: 1) { _ in [] }
    sectionTitles = []
    starts = SectionSpans().starts
    positions = [:]
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { sectionTitles.count }

  /// - Precondition: `position` is at least ``startIndex`` and less than ``endIndex``.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> {
    ResultsSection(
      title: sectionTitles[position], of: results, starts[position]..<starts[position + 1])
  }

  /// Whether there is a section with that title.
  public func contains(sectionTitle: SectionTitle) -> Bool { positions[sectionTitle] != nil }

  /// The position of the section with that title; nil when there is none.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { positions[title] }

  /// The section with that title; nil when there is none.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    positions[title].map { self[$0] }
  }

  /// Whether both have the same titles over the same models in the same order, regardless of the models' values.
  public static func == (lhs: SectionedResults, rhs: SectionedResults) -> Bool {
    lhs.sectionTitles == rhs.sectionTitles && lhs.starts == rhs.starts
      && lhs.results.hasSame(0..<lhs.results.count, as: rhs.results, 0..<rhs.results.count)
  }
}
