/// The results of a fetch in batches: their number is known at once, the elements are loaded a batch at a time
/// when they are first read, and stay loaded.
///
/// Reading can't throw. An element whose row is gone by then, or can't be read, is an empty model whose
/// ``PersistentModel/isDeleted`` is true; what made it unreadable is written to standard error.
///
/// The collection keeps its context alive and belongs to that context's isolation.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let batches: ResultBatches<Element>

  /// - Parameters:
  ///   - count: The number of elements.
  ///   - batchSize: How many are loaded together; at least one.
  ///   - load: Gives the elements of a range, all of them.
  package init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    batches = ResultBatches(count: count, batchSize: Swift.max(1, batchSize), load: load)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { batches.count }

  /// The element at `position`, which loads its batch.
  ///
  /// - Precondition: `position` is at least ``startIndex`` and less than ``endIndex``.
  public subscript(position: Int) -> Element { batches.element(at: position) }

  /// How many batches have been loaded.
  package var loadedBatchCount: Int { batches.loaded.count }
}

/// The batches that copies of a collection share.
private final class ResultBatches<Element> {
  let count: Int
  private let batchSize: Int
  private let load: (Range<Int>) -> [Element]
  private(set) var loaded: [Int: [Element]] = [:]

  init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    self.count = count
    self.batchSize = batchSize
    self.load = load
  }

  func element(at position: Int) -> Element {
    precondition(position >= 0 && position < count, "The index \(position) is out of 0..<\(count).")
    let batch = position / batchSize
    if let elements = loaded[batch] { return elements[position % batchSize] }
    let start = batch * batchSize
    let elements = load(start..<start + Swift.min(batchSize, count - start))
    loaded[batch] = elements
    return elements[position % batchSize]
  }
}
