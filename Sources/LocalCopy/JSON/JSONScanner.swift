/// A strict scanner for JSON (RFC 8259) that reads the document in pieces of any size.
///
/// It validates every byte of the document (grammar, UTF-8, escapes and depth) and returns each element of one array as
/// soon as it is complete, together with an index of its contents (``JSONTape``). Memory is bounded by the limits and
/// the size of a piece, never by the document.
///
/// A single pass is enough: each byte is inspected once, here; the decoder then works on the index.
///
///     var position = 0
///     while let event = try scanner.next(in: piece, at: &position) { … }
///
/// Choices that RFC 8259 leaves open: a byte order mark and any encoding other than UTF-8 are rejected; duplicate keys
/// are accepted; numbers may have any size here and are checked when decoded; an escaped surrogate without its partner
/// is accepted here, and decoding that string fails.
package struct JSONScanner {
  /// The values that the scanner returns.
  package enum Target: Equatable {
    /// The whole document as one element.
    case document
    /// The elements of the array at a path.
    case elements(JSONPath)
  }

  /// An event in the document.
  package enum Event: Equatable {
    /// The element with this index in the array is complete; see `withCaptured`.
    case element(index: Int)
    /// The element with this index was larger than the limit and is not kept.
    case oversizedElement(index: Int)
    /// A value outside the array of elements is complete; see `withCaptured`.
    case sibling(JSONPath)
    /// A value outside the array of elements exceeded the limit and is not kept.
    case oversizedSibling(JSONPath)
    /// An element that is an object starts; see `offersElements`.
    case offeredElement(index: Int)
  }

  enum State: UInt8 {
    case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, done
    case string, number, literal, unrecognized
  }

  /// An open array or object.
  struct Frame {
    var isObject: Bool
    /// The index of the current child, counted from zero.
    var childIndex = 0
    /// The frame's entry on the tape, while a value is being captured.
    var tapeIndex: Int
  }

  enum Mode: UInt8 { case outside, capturing, dropping }

  let target: Target
  let limits: JSONLimits

  var state = State.value
  var frames: [Frame] = []
  /// The number of bytes of the document before the current piece.
  var base = 0
  var token = Token()

  // The location of the elements.
  var steps: [JSONPath.Component]
  /// The number of open frames inside the array of elements, or -1.
  var elementsDepth = -1
  var elementsSeen = false
  /// The keys of the frames that lead to the elements, as read so far.
  var openKeys: [String] = []
  /// The first part of the current key, when it is split between two pieces.
  var keyBytes: [UInt8] = []

  // The value that is being captured.
  var mode = Mode.outside
  var captureDepth = -1
  var captureOffset = 0
  /// The start of the captured value in the current piece.
  var captureStart = 0
  var captureEvent = Event.element(index: 0)
  /// The bytes that the path of a captured sibling takes.
  var capturePathBytes = 0
  var captureCompleted = false
  var capturedRange = 0..<0
  var pending: [UInt8] = []
  var siblingBytes = 0
  let tape = JSONTape()

  /// Whether elements that are objects are offered before they are scanned. A caller that validates an element by other
  /// means calls `takeOffered`; otherwise, the element is scanned as usual.
  package var offersElements = false
  /// The position at which the last element was offered, in bytes from the start of the document.
  private var offeredOffset = -1

  /// The first bytes of the document, which identify its format when it isn't JSON.
  var prefix: [UInt8] = []
  var rootIsContainer = false
  var unrecognizedOffset = 0
  var failed = false

  /// Creates a scanner for one document.
  /// - Parameters:
  ///   - target: the values to return.
  ///   - limits: the limits on the document's size and depth.
  package init(_ target: Target, limits: JSONLimits = JSONLimits()) {
    self.target = target
    self.limits = limits
    if case .elements(let path) = target { steps = path.components } else { steps = [] }
    frames.reserveCapacity(16)
  }

  /// The number of bytes of the pieces before the current one.
  package var byteCount: Int { base }

  /// Scans until a value is complete.
  /// - Parameters:
  ///   - piece: the current bytes; the same piece until the result is nil.
  ///   - position: the position in the piece at which to continue; starts at zero.
  /// - Returns: the event, or nil when the piece is consumed.
  /// - Throws: ``LocalCopyError`` when the document is rejected.
  package mutating func next(
    in piece: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) throws -> Event? {
    precondition(!failed, "a scanner that refused its document takes no more")
    guard let bytes = piece.baseAddress else { return nil }
    if captureCompleted { releaseCapture() }
    do {
      if let event = try scan(bytes, piece.count, &position) { return event }
      try endPiece(piece)
    } catch {
      failed = true
      throw error
    }
    return nil
  }

  /// Handles the end of the document.
  /// - Returns: the last element, if only the end of the document completes it (a lone number).
  /// - Throws: ``LocalCopyError`` when the document is incomplete or is not JSON.
  package mutating func finish() throws -> Event? {
    precondition(!failed, "a scanner that refused its document takes no more")
    if captureCompleted { releaseCapture() }
    if state == .unrecognized { throw unrecognized() }
    if state == .number, frames.isEmpty, token.numberIsComplete { finishNumber(at: 0) }
    guard state == .done else {
      if frames.isEmpty, !rootIsContainer, base > 0, state != .value { throw unrecognized() }
      throw truncated()
    }
    if captureCompleted { return completeCapture(at: 0, piece: nil) }
    if target != .document, !elementsSeen { throw elementsNotFound() }
    return nil
  }

  /// Gives access to the value of the last event.
  /// - Parameters:
  ///   - piece: the piece that was passed to the call that returned the event.
  ///   - body: called with the value's bytes and index, both valid only during the call.
  package func withCaptured<Result>(
    in piece: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>, JSONTape) throws -> Result
  ) rethrows -> Result {
    if pending.isEmpty {
      return try body(UnsafeBufferPointer(rebasing: piece[capturedRange]), tape)
    }
    return try pending.withUnsafeBufferPointer { try body($0, tape) }
  }

  /// The number of arrays and objects that an offered element may have open at the same time.
  package var offeredDepth: Int { limits.maximumDepth - frames.count }

  /// Whether the value of the last event was assembled from several pieces.
  package var capturedFromPieces: Bool { !pending.isEmpty }

  /// Treats the element that the last event offered as scanned.
  /// - Parameters:
  ///   - length: the element's length in bytes; these bytes are in the piece and are valid JSON within the limits.
  ///   - position: the position that the offering call left; moved past the element.
  package mutating func takeOffered(length: Int, at position: inout Int) {
    position += length
    valueFinished()
  }

  private mutating func scan(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ position: inout Int
  ) throws -> Event? {
    var i = position
    defer { position = i }
    while i < count {
      switch state {
      case .string: try scanString(bytes, count, &i)
      case .number: try scanNumber(bytes, count, &i)
      case .literal: try scanLiteral(bytes, count, &i)
      case .unrecognized: i = count
      default:
        let byte = bytes[i]
        if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
          i &+= 1
          continue
        }
        if offersElements, mode == .outside, isOffer(byte, i) {
          offeredOffset = base &+ i
          return .offeredElement(index: frames[frames.count &- 1].childIndex)
        }
        try scanStructure(byte, bytes, &i)
      }
      if captureCompleted {
        return completeCapture(
          at: i, piece: UnsafeBufferPointer(start: bytes, count: count))
      }
    }
    return nil
  }

  /// Whether a JSON object starts here that is an element and hasn't been offered.
  @inline(__always)
  private func isOffer(_ byte: UInt8, _ i: Int) -> Bool {
    byte == UInt8(ascii: "{") && frames.count == elementsDepth
      && (state == .value || state == .valueOrEnd) && offeredOffset != base &+ i
  }
}
