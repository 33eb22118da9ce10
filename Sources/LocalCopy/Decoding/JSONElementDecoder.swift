import WireFormats

/// Decodes one JSON value, which the scanner has validated and indexed, into a `Decodable` type.
///
/// No intermediate values are built: the decoder reads values from the bytes of the feed on demand.
/// The results are those of Foundation's `JSONDecoder` (the first of several equal keys counts),
/// with two exceptions: keys are compared byte by byte (`JSONDecoder` compares canonical
/// equivalents), and a number that is not whole is never rounded to an integer.
package struct JSONElementDecoder: Sendable {
  let options: JSONDecodingOptions

  package init(_ options: JSONDecodingOptions = JSONDecodingOptions()) {
    self.options = options
  }

  /// Decodes a value.
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - bytes: the text of the value; read only during the call.
  ///   - tape: the index of the value; read only during the call.
  /// - Throws: `DecodingError` with the coding path inside the value.
  package func decode<T: Decodable>(
    _ type: T.Type, from bytes: UnsafeBufferPointer<UInt8>, _ tape: JSONTape
  ) throws -> T {
    guard let start = bytes.baseAddress, tape.count > 0 else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "No value."))
    }
    let value = JSONIndexedValue(start, tape, options)
    // A decoder or a container that user code keeps must not access the bytes afterwards.
    defer { value.expire() }
    return try value.decode(type, at: 0)
  }

  /// Decodes a value that has been validated but not indexed.
  func decode<T: Decodable>(
    _ type: T.Type, validated bytes: UnsafeBufferPointer<UInt8>
  ) throws -> T {
    let limits = JSONLimits(maximumDepth: JSONCursor.deepest)
    return try decode(type, document: bytes, limits: limits)
  }

  /// Decodes a whole document that is in memory.
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - document: the text of the document.
  ///   - limits: the limits on the document's size and depth.
  /// - Throws: ``LocalCopyError`` when the document is not JSON, `DecodingError` when it is not
  ///   of the type.
  package func decode<T: Decodable>(
    _ type: T.Type, document: [UInt8], limits: JSONLimits = JSONLimits()
  ) throws -> T {
    try document.withUnsafeBufferPointer { try decode(type, document: $0, limits: limits) }
  }

  private func decode<T: Decodable>(
    _ type: T.Type, document bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits
  ) throws -> T {
    var scanner = JSONScanner(.document, limits: limits)
    var position = 0
    var result: T?
    while try scanner.next(in: bytes, at: &position) != nil {
      result = try scanner.withCaptured(in: bytes) { try decode(type, from: $0, $1) }
    }
    if try scanner.finish() != nil {
      result = try scanner.withCaptured(in: bytes) { try decode(type, from: $0, $1) }
    }
    guard let result else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "No value."))
    }
    return result
  }
}
