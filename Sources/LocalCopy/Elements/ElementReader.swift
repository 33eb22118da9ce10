import Foundation

/// Decodes the elements of one array of a JSON document (RFC 8259), without a store: for feeds that are looked through,
/// and for tests of what a feed's elements become.
///
/// The document is taken in pieces of any size; of it no more than an element is kept. Every byte is validated.
///
/// ```swift
/// let reader = ElementReader<Feature>(at: "features")
/// try reader.read(data) { index, feature in strongest = max(strongest, try feature.get().magnitude) }
/// try reader.finish()
/// ```
public final class ElementReader<Element: Decodable> {
  private let stream: ElementStream<Element>
  private let path: JSONPath
  /// Why the document wasn't read any further.
  private var failure: (any Error)?
  private var isReading = false

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
  public func read(
    _ piece: Data, _ body: (_ index: Int, _ element: Result<Element, any Error>) throws -> Void
  ) throws {
    try reading {
      try piece.withUnsafeBytes { bytes in
        let piece = bytes.bindMemory(to: UInt8.self)
        var position = 0
        while let event = try stream.next(in: piece, at: &position) {
          switch event {
          case .element(let index, _): try body(index, element(in: piece))
          case .oversizedElement(let index): try body(index, .failure(tooLarge(index)))
          case .sibling: break
          }
        }
      }
    }
  }

  /// Tells that the document is complete.
  ///
  /// - Throws: ``LocalCopyError`` when it isn't.
  public func finish() throws {
    // Elements end within their array, and so before the document does.
    try reading { _ = try stream.finish() }
  }

  private func reading(_ body: () throws -> Void) throws {
    if let failure { throw failure }
    guard !isReading else {
      throw LocalCopyError(
        .malformedDocument, reason: "The next piece came while the one before was being read",
        advice: "Read pieces one after the other, not from within the closure.")
    }
    isReading = true
    defer { isReading = false }
    do { try body() } catch {
      failure = error
      throw error
    }
  }

  private func element(in piece: UnsafeBufferPointer<UInt8>) -> Result<Element, any Error> {
    do { return .success(try stream.element(in: piece)) } catch { return .failure(error) }
  }

  private func tooLarge(_ index: Int) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [],
        debugDescription:
          "\(path.appending([.index(index)])) has more bytes than the limit for an element."))
  }
}
