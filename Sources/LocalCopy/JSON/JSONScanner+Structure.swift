/// Scans brackets, commas and colons; handles the start and the end of values.
extension JSONScanner {
  /// Scans one byte that is neither white space nor part of a token.
  @inline(__always)
  mutating func scanStructure(
    _ byte: UInt8, _ bytes: UnsafePointer<UInt8>, _ i: inout Int
  ) throws {
    switch state {
    case .commaOrEnd:
      if byte == UInt8(ascii: ",") {
        i &+= 1
        frames[frames.count &- 1].childIndex &+= 1
        state = frames[frames.count &- 1].isObject ? .key : .value
      } else {
        try closeFrame(byte, isEmpty: false, bytes, &i)
      }
    case .key, .keyOrEnd:
      if byte == UInt8(ascii: "\"") {
        token.startString(at: base &+ i &+ 1, isKey: true)
        state = .string
        i &+= 1
      } else if state == .keyOrEnd {
        try closeFrame(byte, isEmpty: true, bytes, &i)
      } else {
        throw syntaxError(at: i, bytes, expected: "a key in quotation marks")
      }
    case .colon:
      guard byte == UInt8(ascii: ":") else {
        throw syntaxError(at: i, bytes, expected: "a colon after the key")
      }
      i &+= 1
      state = .value
    case .valueOrEnd where byte == UInt8(ascii: "]"):
      try closeFrame(byte, isEmpty: true, bytes, &i)
    case .value, .valueOrEnd:
      try beginValue(byte, bytes, &i)
    default:
      try refuse(at: i, bytes, expected: "nothing after the document")
    }
  }

  @inline(__always)
  private mutating func beginValue(
    _ byte: UInt8, _ bytes: UnsafePointer<UInt8>, _ i: inout Int
  ) throws {
    if mode == .outside { try locate(byte, bytes, i) }
    switch byte {
    case UInt8(ascii: "\""):
      token.startString(at: base &+ i &+ 1, isKey: false)
      state = .string
      i &+= 1
    case UInt8(ascii: "{"):
      try openFrame(isObject: true, bytes, i)
      i &+= 1
    case UInt8(ascii: "["):
      try openFrame(isObject: false, bytes, i)
      i &+= 1
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      token.startNumber(at: base &+ i)
      state = .number
    case UInt8(ascii: "t"): startLiteral(.true, i)
    case UInt8(ascii: "f"): startLiteral(.false, i)
    case UInt8(ascii: "n"): startLiteral(.null, i)
    default:
      try refuse(at: i, bytes, expected: "a value")
    }
  }

  private mutating func startLiteral(_ kind: JSONTape.Kind, _ i: Int) {
    token.startLiteral(kind, at: base &+ i)
    state = .literal
  }

  @inline(__always)
  private mutating func openFrame(
    isObject: Bool, _ bytes: UnsafePointer<UInt8>, _ i: Int
  ) throws {
    guard frames.count < limits.maximumDepth else { throw tooDeep(at: i, bytes) }
    if frames.isEmpty { rootIsContainer = true }
    var tapeIndex = -1
    if mode == .capturing {
      tapeIndex = tape.append(
        isObject ? .object : .array, offset: base &+ i &- captureOffset, end: 0)
    }
    frames.append(Frame(isObject: isObject, tapeIndex: tapeIndex))
    state = isObject ? .keyOrEnd : .valueOrEnd
  }

  @inline(__always)
  private mutating func closeFrame(
    _ byte: UInt8, isEmpty: Bool, _ bytes: UnsafePointer<UInt8>, _ i: inout Int
  ) throws {
    let frame = frames[frames.count &- 1]
    guard byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
      let end = frame.isObject ? "a closing brace" : "a closing bracket"
      let expected =
        !isEmpty ? "a comma or \(end)" : frame.isObject ? "a key or \(end)" : "a value or \(end)"
      throw syntaxError(at: i, bytes, expected: expected)
    }
    if mode == .capturing {
      tape.close(frame.tapeIndex, childCount: isEmpty ? 0 : frame.childIndex &+ 1)
    } else if mode == .outside {
      leave(depth: frames.count)
    }
    frames.removeLast()
    i &+= 1
    valueFinished()
  }

  /// Records that a value is complete.
  @inline(__always)
  mutating func valueFinished() {
    if frames.count == captureDepth { captureCompleted = true }
    state = frames.isEmpty ? .done : .commaOrEnd
  }
}
