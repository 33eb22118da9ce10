/// The results of a fetch that have the same section title.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Identifiable, Equatable
{
  /// The title that the elements have in common.
  public let title: SectionTitle
  private let results: FetchResultsCollection<Element>
  private let range: Range<Int>

  /// - Parameters:
  ///   - results: The results that the section is a part of.
  ///   - range: The positions of the section's elements.
  init(title: SectionTitle, of results: FetchResultsCollection<Element>, _ range: Range<Int>) {
    self.title = title
    self.results = results
    self.range = range
  }

  public var id: SectionTitle { title }
  public var startIndex: Int { 0 }
  public var endIndex: Int { range.count }

  /// - Precondition: `position` is at least ``startIndex`` and less than ``endIndex``.
  public subscript(position: Int) -> Element {
    // Like an array's: an index out of range is an error of the program that no value could stand for.
    precondition(
      position >= 0 && position < range.count,
      "The index \(position) is out of 0..<\(range.count).")
    return results[range.lowerBound + position]
  }

  /// Whether both have the same title and the same models in the same order, regardless of the models' values.
  public static func == (lhs: ResultsSection, rhs: ResultsSection) -> Bool {
    lhs.title == rhs.title && lhs.count == rhs.count
      && lhs.results.hasSame(lhs.range, as: rhs.results, rhs.range)
  }
}
