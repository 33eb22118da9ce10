import Foundation

/// Decodes the elements of one array of a JSON document (RFC 8259), without a store: for feeds that are looked through,
/// and for tests of what a feed's elements become.
///
/// The document is taken in pieces of any size; of it no more than an element is kept. Every byte is validated.
///
/// ```swift
/// var reader = ElementReader<Feature>(at: "features")
/// try reader.read(data) { index, feature in strongest = max(strongest, try feature.get().magnitude) }
/// try reader.finish()
/// ```
public struct ElementReader<Element: Decodable> {
  private var stream: ElementStream<Element>
  private let path: JSONPath
  /// Why the document wasn't read any further.
  private var failure: (any Error)?

  /// Makes a reader for one document.
  ///
  /// - Parameters:
  ///   - path: The path of the array of elements; the empty path when the document is that array.
  ///   - decoding: How dates are written.
  ///   - limits: What the document may cost.
  public init(
    at path: JSONPath, decoding: JSONDecodingOptions = JSONDecodingOptions(),
    limits: JSONLimits = JSONLimits()
  ) {
    self.path = path
    stream = ElementStream(path, limits, decoding)
  }

  /// Reads the next piece of the document.
  ///
  /// - Parameters:
  ///   - piece: The bytes that follow those before.
  ///   - body: Called with each element that is complete: its position in the array, and the element or the
  ///     `DecodingError` that tells why it is none.
  /// - Throws: ``LocalCopyError`` when the document isn't JSON or has no such array; what `body` throws. From then on
  ///   every call throws the same.
  public mutating func read(
    _ piece: Data, _ body: (_ index: Int, _ element: Result<Element, any Error>) throws -> Void
  ) throws {
    try reading { reader in
      try piece.withUnsafeBytes { bytes in
        let piece = bytes.bindMemory(to: UInt8.self)
        var position = 0
        while let event = try reader.stream.next(in: piece, at: &position) {
          try reader.pass(event, piece, body)
        }
      }
    }
  }

  /// Tells that the document is complete.
  ///
  /// - Throws: ``LocalCopyError`` when it isn't.
  public mutating func finish() throws {
    // Elements end within their array, and so before the document does.
    try reading { _ = try $0.stream.finish() }
  }

  private mutating func reading(_ body: (inout Self) throws -> Void) throws {
    if let failure { throw failure }
    do { try body(&self) } catch {
      failure = error
      throw error
    }
  }

  private func pass(
    _ event: ElementStream<Element>.Event, _ piece: UnsafeBufferPointer<UInt8>,
    _ body: (Int, Result<Element, any Error>) throws -> Void
  ) throws {
    switch event {
    case .element(let index, _): try body(index, Result { try stream.element(in: piece) })
    case .oversizedElement(let index):
      let context = DecodingError.Context(
        codingPath: [],
        debugDescription:
          "\(path.appending([.index(index)])) has more bytes than the limit for an element.")
      try body(index, .failure(DecodingError.dataCorrupted(context)))
    case .sibling: break
    }
  }
}
