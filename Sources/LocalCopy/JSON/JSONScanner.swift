/// A strict scanner for JSON (RFC 8259) that takes the document in pieces of any size.
///
/// It validates every byte of the document, grammar, UTF-8, escapes and depth, and hands out the
/// elements of one array as soon as each is complete, together with an index of what is inside
/// (``JSONTape``). Memory is bounded by the limits and the size of a piece, never by the document.
///
/// One pass does all: bytes are looked at once, here; the decoder then works on the index.
///
///     var position = 0
///     while let event = try scanner.next(in: piece, at: &position) { … }
///
/// Choices where RFC 8259 leaves one: a byte order mark and any encoding but UTF-8 are refused;
/// duplicate keys are accepted; numbers may have any size here and are checked when decoded;
/// an escaped surrogate without partner is accepted here, and decoding that string fails.
package struct JSONScanner {
  /// What the scanner hands out.
  package enum Target: Equatable {
    /// The whole document as one element.
    case document
    /// The elements of the array at a path.
    case elements(JSONPath)
  }

  /// What the scanner found.
  package enum Event: Equatable {
    /// The element with this index in the array is complete; see `withCaptured`.
    case element(index: Int)
    /// The element with this index was larger than the limit and is not kept.
    case oversizedElement(index: Int)
    /// A value beside the elements is complete; see `withCaptured`.
    case sibling(JSONPath)
    /// A value beside the elements did not fit the limit and is not kept.
    case oversizedSibling(JSONPath)
    /// An element that is an object begins; see `offersElements`.
    case offeredElement(index: Int)
  }

  enum State: UInt8 {
    case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, done
    case string, number, literal, unrecognized
  }

  /// An array or an object that is open.
  struct Frame {
    var isObject: Bool
    /// The position of the child at hand, counted from zero.
    var childIndex = 0
    /// Its entry on the tape, while a value is being captured.
    var tapeIndex: Int
  }

  enum Mode: UInt8 { case outside, capturing, dropping }

  let target: Target
  let limits: JSONLimits

  var state = State.value
  var frames: [Frame] = []
  /// Bytes of the document before the piece at hand.
  var base = 0
  var token = Token()

  // Where the elements are.
  var steps: [JSONPath.Component]
  /// The number of open frames inside the array of elements, or -1.
  var elementsDepth = -1
  var elementsSeen = false
  /// The keys of the frames that lead to the elements, as found.
  var openKeys: [String] = []
  /// The key at hand, when it was cut between two pieces.
  var keyBytes: [UInt8] = []

  // The value that is being kept.
  var mode = Mode.outside
  var captureDepth = -1
  var captureOffset = 0
  /// Where the captured value begins in the piece at hand.
  var captureStart = 0
  var captureEvent = Event.element(index: 0)
  var captureCompleted = false
  var capturedRange = 0..<0
  var pending: [UInt8] = []
  var siblingBytes = 0
  let tape = JSONTape()

  /// Whether elements that are objects are offered before they are scanned. Who validates one by other means tells so
  /// by `takeOffered`; if that isn't called, the element is scanned as ever.
  package var offersElements = false
  /// Where the last element was offered, in bytes from the start of the document.
  private var offeredOffset = -1

  /// The first bytes of the document, to say what it is when it isn't JSON.
  var prefix: [UInt8] = []
  var rootIsContainer = false
  var unrecognizedOffset = 0
  var failed = false

  /// Makes a scanner for one document.
  /// - Parameters:
  ///   - target: what to hand out.
  ///   - limits: what the document may cost.
  package init(_ target: Target, limits: JSONLimits = JSONLimits()) {
    self.target = target
    self.limits = limits
    if case .elements(let path) = target { steps = path.components } else { steps = [] }
    frames.reserveCapacity(16)
  }

  /// The number of bytes taken so far, without the piece at hand.
  package var byteCount: Int { base }

  /// Scans on until something is complete.
  /// - Parameters:
  ///   - piece: the bytes at hand, the same ones until the result is nil.
  ///   - position: where to go on in the piece; start with zero.
  /// - Returns: what is complete, or nil when the piece is used up.
  /// - Throws: ``LocalCopyError`` when the document is refused.
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

  /// Tells that the document has ended.
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

  /// Gives access to the value that the last event announced.
  /// - Parameters:
  ///   - piece: the piece that was given to the call that returned the event.
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

  /// How many arrays and objects an offered element may open at once.
  package var offeredDepth: Int { limits.maximumDepth - frames.count }

  /// Whether the value that the last event announced was put together from several pieces.
  package var capturedFromPieces: Bool { !pending.isEmpty }

  /// Takes the element that the last event offered as scanned.
  /// - Parameters:
  ///   - length: its bytes, which are in the piece and valid JSON within the limits.
  ///   - position: the position that the offering call left; moves behind the element.
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

  /// Whether an object begins here that is an element and hasn't been offered.
  @inline(__always)
  private func isOffer(_ byte: UInt8, _ i: Int) -> Bool {
    byte == UInt8(ascii: "{") && frames.count == elementsDepth
      && (state == .value || state == .valueOrEnd) && offeredOffset != base &+ i
  }
}
