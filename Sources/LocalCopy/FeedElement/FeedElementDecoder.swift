/// Fills elements straight from the bytes of a feed, for types that have `@FeedElement`.
package final class FeedElementDecoder<Element: Decodable> {
  private let read: (inout _FeedReader, UnsafeMutablePointer<Element>) -> Bool
  private var reader: _FeedReader
  private let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)

  /// Makes a decoder.
  /// - Returns: nil when the elements' type hasn't got the macro.
  package init?(_ options: JSONDecodingOptions) {
    guard let type = Element.self as? any FeedElement.Type else { return nil }
    read = Self.reading(type)
    reader = _FeedReader(
      UnsafeBufferPointer(start: nil, count: 0), depth: 0, JSONElementDecoder(options))
  }

  deinit { place.deallocate() }

  /// The type is known here once, so that nothing is looked up or cast for each element.
  private static func reading<Known: FeedElement>(
    _ type: Known.Type
  ) -> (inout _FeedReader, UnsafeMutablePointer<Element>) -> Bool {
    { reader, place in
      guard let element = try? Known(_feed: &reader) else { return false }
      // `Known` is `Element`.
      UnsafeMutableRawPointer(place).initializeMemory(as: Known.self, to: element)
      return true
    }
  }

  /// Fills an element.
  /// - Parameters:
  ///   - bytes: where the element begins, and what comes behind it. Only read during the call.
  ///   - depth: how many arrays and objects it may open at once.
  /// - Returns: the element and how many bytes it has, or nil when the general decoder has to look at it.
  package func decode(
    from bytes: UnsafeBufferPointer<UInt8>, depth: Int
  ) -> (element: Element, length: Int)? {
    guard let start = bytes.baseAddress else { return nil }
    reader.cursor = start
    reader.end = start + bytes.count
    reader.depth = min(depth, _FeedReader.deepest)
    guard read(&reader, place) else { return nil }
    return (place.move(), reader.cursor - start)
  }
}
