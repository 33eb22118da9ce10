import Foundation

/// Decodes the elements of one array of a JSON document (RFC 8259) without a store: for searching feeds, and for tests
/// of how a feed's elements are decoded.
///
/// The document arrives in pieces of any size; the reader keeps at most one element in memory. Every byte is validated.
///
/// ```swift
/// let reader = ElementReader<Feature>(at: "features")
/// try reader.read(data) { index, feature in strongest = max(strongest, try feature.get().magnitude) }
/// try reader.finish()
/// ```
public final class ElementReader<Element: Decodable> {
  private let stream: ElementStream<Element>
  private let path: JSONPath
  /// The error that stopped the reading of the document.
  private var failure: (any Error)?
  private var isReading = false

  /// Creates a reader for one document.
  ///
  /// - Parameters:
  ///   - path: The path of the array of elements; the empty path when the document is that array.
  ///   - decoding: The decoding options, such as the format of dates.
  ///   - limits: The limits on the document's size and depth.
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
  ///   - piece: The bytes that follow the previous piece.
  ///   - body: Called with each complete element: its position in the array, and the element or the `DecodingError` of
  ///     the failed decoding.
  /// - Throws: ``LocalCopyError`` when the document isn't JSON or has no such array; the error of `body`. After an
  ///   error, every call throws the same error.
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

  /// Checks that the document is complete.
  ///
  /// - Throws: ``LocalCopyError`` when it isn't.
  public func finish() throws {
    // Elements end within their array, and therefore before the document ends.
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
