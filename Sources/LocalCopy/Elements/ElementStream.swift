import Foundation

/// Decodes the elements of one array of a document that arrives in pieces: directly from the bytes if the element type
/// has `@FeedElement` and the bytes allow it, otherwise through the scanner's index.
///
/// It is a class because a structure would be copied for each element. Code that is called with a part of it doesn't
/// access it again, so its variables have no check of exclusive access.
final class ElementStream<Element: Decodable> {
  /// An event in the document.
  enum Event {
    /// An element of `byteCount` bytes is complete; see ``element(in:)``.
    case element(index: Int, byteCount: Int)
    /// An element was larger than the limit and is dropped.
    case oversizedElement(index: Int)
    /// A value outside the array of elements.
    case sibling(JSONPath, Data)
  }

  private let limits: JSONLimits
  private let decoder: JSONElementDecoder
  /// The decoder for elements that are filled directly from the bytes.
  private let direct: FeedElementDecoder<Element>?
  @exclusivity(unchecked) private var scanner: JSONScanner
  /// Whether the current element has been filled.
  @exclusivity(unchecked) private var isFilled = false

  init(_ path: JSONPath, _ limits: JSONLimits, _ options: JSONDecodingOptions) {
    self.limits = limits
    decoder = JSONElementDecoder(options)
    direct = FeedElementDecoder(options)
    scanner = JSONScanner(.elements(path), limits: limits)
    scanner.offersElements = direct != nil
  }

  /// Advances to the next event in a piece.
  ///
  /// - Parameter position: The position in the piece at which to continue; moved past the event.
  /// - Returns: nil at the end of the piece.
  /// - Throws: ``LocalCopyError`` when the document isn't JSON or the path doesn't lead to an array of elements.
  func next(
    in piece: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) throws -> Event? {
    while let event = try scanner.next(in: piece, at: &position) {
      if case .offeredElement(let index) = event {
        if let length = fill(piece, at: &position) {
          return .element(index: index, byteCount: length)
        }
      } else if let kept = kept(event, piece) {
        return kept
      }
    }
    return nil
  }

  /// Handles the end of the document.
  func finish() throws -> Event? {
    try scanner.finish().flatMap { kept($0, UnsafeBufferPointer(start: nil, count: 0)) }
  }

  /// Returns the element of the last event; can be called once.
  ///
  /// - Throws: `DecodingError` with the coding path inside the element.
  func element(in piece: UnsafeBufferPointer<UInt8>) throws -> Element {
    if isFilled, let direct { return direct.take() }
    return try scanner.withCaptured(in: piece) { bytes, tape in
      // An element that lay completely in one piece has been offered before and couldn't be filled.
      if let direct, scanner.capturedFromPieces,
        direct.decode(from: bytes, depth: scanner.offeredDepth) != nil
      {
        return direct.take()
      }
      return try decoder.decode(Element.self, from: bytes, tape)
    }
  }

  /// Fills an element that starts at `position` directly from the bytes, if possible; otherwise the scanner returns it.
  private func fill(
    _ piece: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> Int? {
    let rest = UnsafeBufferPointer(rebasing: piece[position...])
    guard let direct, let length = direct.decode(from: rest, depth: scanner.offeredDepth),
      length <= limits.maximumElementBytes
    else { return nil }
    scanner.takeOffered(length: length, at: &position)
    isFilled = true
    return length
  }

  private func kept(
    _ event: JSONScanner.Event, _ piece: UnsafeBufferPointer<UInt8>
  ) -> Event? {
    isFilled = false
    switch event {
    case .element(let index):
      return .element(
        index: index, byteCount: scanner.withCaptured(in: piece) { bytes, _ in bytes.count })
    case .oversizedElement(let index): return .oversizedElement(index: index)
    case .sibling(let path):
      return .sibling(path, scanner.withCaptured(in: piece) { bytes, _ in Data(bytes) })
    case .oversizedSibling, .offeredElement: return nil
    }
  }
}
