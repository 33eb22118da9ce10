/// Fills elements straight from the bytes of a feed, for types that have `@FeedElement`.
package final class FeedElementDecoder<Element: Decodable> {
  private let read: (inout _FeedReader, UnsafeMutablePointer<Element>) -> Bool
  // What fills an element reaches the reader only by what it is given, so there is nothing to check at run time.
  @exclusivity(unchecked) private var reader: _FeedReader
  /// Where the element is, once it is filled.
  @exclusivity(unchecked) private var isFilled = false
  private let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)

  /// Makes a decoder.
  /// - Returns: nil when the elements' type hasn't got the macro.
  package init?(_ options: JSONDecodingOptions) {
    guard let type = Element.self as? any FeedElement.Type else { return nil }
    read = Self.reading(type)
    reader = _FeedReader(
      UnsafeBufferPointer(start: nil, count: 0), depth: 0, JSONElementDecoder(options))
  }

  deinit {
    drop()
    place.deallocate()
  }

  /// The type is known here once, so that nothing is looked up or cast for each element.
  private static func reading<Known: FeedElement>(
    _ type: Known.Type
  ) -> (inout _FeedReader, UnsafeMutablePointer<Element>) -> Bool {
    { reader, place in
      do {
        // `Known` is `Element`.
        UnsafeMutableRawPointer(place).initializeMemory(
          as: Known.self, to: try Known(_feed: &reader))
        return true
      } catch {
        return false
      }
    }
  }

  /// Fills an element, which then has to be taken.
  /// - Parameters:
  ///   - bytes: where the element begins, and what comes behind it. Only read during the call.
  ///   - depth: how many arrays and objects it may open at once.
  /// - Returns: how many bytes the element has, or nil when the general decoder has to look at it.
  package func decode(from bytes: UnsafeBufferPointer<UInt8>, depth: Int) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    drop()
    reader.cursor = start
    reader.end = start + bytes.count
    reader.depth = min(depth, _FeedReader.deepest)
    isFilled = read(&reader, place)
    return isFilled ? reader.cursor - start : nil
  }

  /// Takes the element that was filled last; once.
  package func take() -> Element {
    precondition(isFilled, "an element is taken once after it was filled")
    isFilled = false
    return place.move()
  }

  private func drop() {
    if isFilled { place.deinitialize(count: 1) }
    isFilled = false
  }
}
