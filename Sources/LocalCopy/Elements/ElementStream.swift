import Foundation

/// The elements of one array of a document that comes in pieces, decoded: straight from the bytes where their type has
/// `@FeedElement` and they allow it, else by their index.
///
/// A class, because a structure would be copied for each element. What is called with a part of it doesn't reach it
/// again, so its variables have no check of exclusive access.
final class ElementStream<Element: Decodable> {
  /// What was found.
  enum Event {
    /// An element of so many bytes is complete; see ``element(in:)``.
    case element(index: Int, byteCount: Int)
    /// An element was larger than the limit and isn't kept.
    case oversizedElement(index: Int)
    /// A value beside the elements.
    case sibling(JSONPath, Data)
  }

  private let limits: JSONLimits
  private let decoder: JSONElementDecoder
  /// For elements that are filled straight from the bytes.
  private let direct: FeedElementDecoder<Element>?
  @exclusivity(unchecked) private var scanner: JSONScanner
  /// Whether the element at hand has been filled.
  @exclusivity(unchecked) private var isFilled = false

  init(_ path: JSONPath, _ limits: JSONLimits, _ options: JSONDecodingOptions) {
    self.limits = limits
    decoder = JSONElementDecoder(options)
    direct = FeedElementDecoder(options)
    scanner = JSONScanner(.elements(path), limits: limits)
    scanner.offersElements = direct != nil
  }

  /// Goes on to the next event in a piece.
  ///
  /// - Parameter position: Where in the piece to go on; moved behind the event.
  /// - Returns: nil at the end of the piece.
  /// - Throws: ``LocalCopyError`` for what isn't JSON, and where there are no elements at the path.
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

  /// Tells that the document is complete.
  func finish() throws -> Event? {
    try scanner.finish().flatMap { kept($0, UnsafeBufferPointer(start: nil, count: 0)) }
  }

  /// The element of the last event; once.
  ///
  /// - Throws: `DecodingError` with the coding path inside the element.
  func element(in piece: UnsafeBufferPointer<UInt8>) throws -> Element {
    if isFilled, let direct { return direct.take() }
    return try scanner.withCaptured(in: piece) { bytes, tape in
      // One that lay in a piece as a whole has been offered, and couldn't be filled.
      if let direct, scanner.capturedFromPieces,
        direct.decode(from: bytes, depth: scanner.offeredDepth) != nil
      {
        return direct.take()
      }
      return try decoder.decode(Element.self, from: bytes, tape)
    }
  }

  /// Fills an element that begins here straight from the bytes, if it can be: else the scanner hands it out.
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
