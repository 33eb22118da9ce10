import WireFormats

/// Fills elements directly from the bytes of a feed, for types that have `@FeedElement`.
package final class FeedElementDecoder<Element: Decodable> {
  private let read: (inout _FeedReader, UnsafeMutablePointer<Element>) -> Bool
  // The code that fills an element accesses the reader only through its parameter, so a check at run time is
  // unnecessary.
  @exclusivity(unchecked) private var reader: _FeedReader
  /// Whether `place` holds an element.
  @exclusivity(unchecked) private var isFilled = false
  private let place: UnsafeMutablePointer<Element>

  /// Creates a decoder.
  /// - Returns: nil when the elements' type doesn't have the macro.
  package init?(_ options: JSONDecodingOptions) {
    guard let type = Element.self as? any FeedElement.Type else { return nil }
    // An initializer that returns nil doesn't run `deinit`.
    place = .allocate(capacity: 1)
    read = Self.reading(type)
    reader = _FeedReader(
      UnsafeBufferPointer(start: nil, count: 0), depth: 0, JSONElementDecoder(options))
  }

  deinit {
    drop()
    place.deallocate()
  }

  /// Returns a closure that knows the element's type, so that nothing is looked up or cast for each element.
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

  /// Fills an element, which must be taken afterwards.
  /// - Parameters:
  ///   - bytes: the bytes from the start of the element, and the bytes that follow it. Read only during the call.
  ///   - depth: the number of arrays and objects that it may have open at the same time.
  /// - Returns: the number of bytes of the element, or nil when the general decoder has to decode it.
  package func decode(from bytes: UnsafeBufferPointer<UInt8>, depth: Int) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    drop()
    reader.json = JSONCursor(bytes, depth: depth)
    isFilled = read(&reader, place)
    return isFilled ? reader.json.position - start : nil
  }

  /// Returns the element that was filled last; can be called once.
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
