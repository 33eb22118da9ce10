/// The results of a fetch in batches: their number is known immediately, the elements are loaded one batch at a time
/// when they are first read, and stay loaded.
///
/// Reading can't throw. An element whose row no longer exists by then, or can't be read, is an empty model whose
/// ``PersistentModel/isDeleted`` is true; the error that made it unreadable is reported to ``SwiftDataLog``.
///
/// The collection keeps its context alive and belongs to that context's isolation.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let pages: any ResultPages<Element>

  /// - Parameters:
  ///   - count: The number of elements.
  ///   - batchSize: The number of elements that are loaded together; at least 1.
  ///   - load: Returns all elements of a range.
  package init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    pages = ResultBatches(count: count, batchSize: Swift.max(1, batchSize), load: load)
  }

  init(_ pages: any ResultPages<Element>) { self.pages = pages }

  public var startIndex: Int { 0 }
  public var endIndex: Int { pages.count }

  /// The element at `position`. Reading it loads its batch.
  ///
  /// - Precondition: `position` is at least ``startIndex`` and less than ``endIndex``.
  public subscript(position: Int) -> Element { pages.element(at: position) }

  /// The number of batches that have been loaded.
  package var loadedBatchCount: Int { pages.loadedBatchCount }
}

extension FetchResultsCollection where Element: Equatable {
  /// Whether a range has the same elements as a range of another collection with the same length.
  func hasSame(
    _ range: Range<Int>, as other: FetchResultsCollection, _ otherRange: Range<Int>
  ) -> Bool {
    pages.hasSame(range, as: other.pages, otherRange)
      ?? zip(range, otherRange).allSatisfy { self[$0] == other[$1] }
  }
}

/// The source of a collection's elements; copies of the collection share it.
protocol ResultPages<Element>: AnyObject {
  associatedtype Element

  var count: Int { get }
  var loadedBatchCount: Int { get }

  /// - Precondition: `position` is at least 0 and less than ``count``.
  func element(at position: Int) -> Element

  /// Whether a range has the same elements as one of another collection; nil when the elements have to be compared.
  func hasSame(
    _ range: Range<Int>, as other: any ResultPages<Element>, _ otherRange: Range<Int>
  ) -> Bool?
}

/// Batches of the same size.
private final class ResultBatches<Element>: ResultPages {
  let count: Int
  private let batchSize: Int
  private let load: (Range<Int>) -> [Element]
  private var loaded: [Int: [Element]] = [:]

  init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    self.count = count
    self.batchSize = batchSize
    self.load = load
  }

  var loadedBatchCount: Int { loaded.count }

  func element(at position: Int) -> Element {
    // Like an array's: an index out of range is an error of the program that no value could stand for.
    precondition(position >= 0 && position < count, "The index \(position) is out of 0..<\(count).")
    let batch = position / batchSize
    if let elements = loaded[batch] { return elements[position % batchSize] }
    let start = batch * batchSize
    let elements = load(start..<start + Swift.min(batchSize, count - start))
    loaded[batch] = elements
    return elements[position % batchSize]
  }

  func hasSame(
    _ range: Range<Int>, as other: any ResultPages<Element>, _ otherRange: Range<Int>
  ) -> Bool? { nil }
}
