import WireFormats

/// Creates the scanner's errors: the expected text, the found text, the place.
extension JSONScanner {
  private static let askPublisher =
    "Nothing was changed; try again later and tell the publisher of the feed if it stays."

  func syntaxError(
    at i: Int, _ bytes: UnsafePointer<UInt8>, expected: String
  ) -> LocalCopyError {
    var error = LocalCopyError(
      .malformedDocument,
      reason: "The document is not valid JSON: expected \(expected), found \(name(bytes[i]))",
      advice: Self.askPublisher)
    error.byteOffset = base + i
    error.path = path(at: i, bytes).shortened
    return error
  }

  /// Rejects the document: immediately, or, if the document may not be JSON at all, after some more
  /// bytes that identify its format.
  mutating func refuse(
    at i: Int, _ bytes: UnsafePointer<UInt8>, expected: String
  ) throws {
    guard frames.isEmpty, !rootIsContainer else {
      throw syntaxError(at: i, bytes, expected: expected)
    }
    unrecognizedOffset = base + i
    state = .unrecognized
  }

  func unrecognized() -> LocalCopyError {
    if let content = ForeignContent(prefix: prefix) { return content.error }
    var error = LocalCopyError(
      .malformedDocument, reason: "The document is not valid JSON", advice: Self.askPublisher)
    error.byteOffset = state == .unrecognized ? unrecognizedOffset : base
    error.path = .root
    return error
  }

  func invalidUTF8(at i: Int, _ bytes: UnsafePointer<UInt8>) -> LocalCopyError {
    var error = LocalCopyError(
      .malformedDocument,
      reason: "The document is not valid UTF-8: found \(name(bytes[i])) inside a string",
      advice: Self.askPublisher)
    error.byteOffset = base + i
    error.path = path(at: i, bytes).shortened
    return error
  }

  func tooDeep(at i: Int, _ bytes: UnsafePointer<UInt8>) -> LocalCopyError {
    var error = LocalCopyError(
      .limitExceeded,
      reason: "The document nests arrays and objects deeper than \(limits.maximumDepth)",
      advice: "If the feed is to be trusted, raise the depth limit.")
    error.byteOffset = base + i
    // The path would be as long as the limit; its beginning is sufficient.
    error.path = JSONPath(Array(path(at: i, bytes).components.prefix(8))).shortened
    return error
  }

  func keyTooLong() -> LocalCopyError {
    LocalCopyError(
      .limitExceeded,
      reason: "A key of the document is longer than \(Self.maximumKeyBytes) bytes",
      advice: "Check that this is the right feed.")
  }

  func truncated() -> LocalCopyError {
    let isEmpty = state == .value && frames.isEmpty
    var error = LocalCopyError(
      .truncated,
      reason: isEmpty ? "The document is empty" : "The document ends before it is complete",
      advice: "Nothing was changed; try again later.")
    error.byteOffset = base
    error.path = JSONPath(openComponents(frames.count)).shortened
    return error
  }

  func elementsNotFound(instead: String? = nil, at i: Int = 0) -> LocalCopyError {
    let path = JSONPath(steps)
    var error = LocalCopyError(
      .elementsNotFound,
      reason: "The document has \(instead ?? "nothing") where the array \(path) was expected",
      advice: "Check that this is the right feed and that the path to its elements is right.")
    error.path = path
    if instead != nil { error.byteOffset = base + i }
    return error
  }

  func ambiguousElements(at i: Int, _ bytes: UnsafePointer<UInt8>) -> LocalCopyError {
    var error = LocalCopyError(
      .elementsNotFound,
      reason: "The document has the array \(JSONPath(steps)) twice",
      advice: Self.askPublisher)
    error.path = JSONPath(steps)
    error.byteOffset = base + i
    return error
  }

  /// The kind of a value that starts with a byte, for messages.
  func name(ofValue byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "["): "an array"
    case UInt8(ascii: "\""): "a string"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a Boolean"
    case UInt8(ascii: "n"): "null"
    default: "a number"
    }
  }

  private func name(_ byte: UInt8) -> String {
    (0x21...0x7E).contains(byte)
      ? "“\(Character(Unicode.Scalar(byte)))”"
      : "byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  /// The path of a byte in the structure of the document.
  private func path(at i: Int, _ bytes: UnsafePointer<UInt8>) -> JSONPath {
    guard mode != .outside else { return JSONPath(openComponents(frames.count)) }
    var components = openComponents(captureDepth)
    guard mode == .capturing else { return JSONPath(components) }
    var captured = pending
    captured.append(
      contentsOf: UnsafeBufferPointer(start: bytes + captureStart, count: i - captureStart))
    for depth in captureDepth..<frames.count {
      if !frames[depth].isObject {
        components.append(.index(frames[depth].childIndex))
      } else if let key = lastKey(of: depth) {
        let range = Int(key.offset)..<Int(key.end)
        components.append(
          .key(
            captured.withUnsafeBufferPointer {
              JSONText.lossyString(UnsafeBufferPointer(rebasing: $0[range]), key.marks)
            }))
      }
    }
    return JSONPath(components)
  }

  /// The most recent key of an open object in the captured value.
  private func lastKey(of depth: Int) -> JSONTape.Entry? {
    var key: JSONTape.Entry?
    var position = frames[depth].tapeIndex + 1
    let open = depth + 1 < frames.count ? frames[depth + 1].tapeIndex : -1
    while position < tape.count {
      key = tape[position]
      let value = position + 1
      if value >= tape.count || value == open { break }
      position = Int(tape[value].next)
    }
    return key
  }
}
