import WireFormats

/// Finds the array of elements and keeps the bytes of one value at a time.
extension JSONScanner {
  /// The maximum length of a key outside captured values, in bytes.
  static let maximumKeyBytes = 4096

  /// Determines the role of the value that starts here: a step of the path, an element or a
  /// sibling.
  mutating func locate(_ byte: UInt8, _ bytes: UnsafePointer<UInt8>, _ i: Int) throws {
    let depth = frames.count
    let opensArray = byte == UInt8(ascii: "[")
    let opensObject = byte == UInt8(ascii: "{")
    guard depth > 0 else {
      if target == .document {
        beginCapture(.element(index: 0), i)
      } else if steps.isEmpty, opensArray {
        try enterElements(at: i, bytes)
      } else if steps.isEmpty, opensObject {
        throw elementsNotFound(instead: "an object", at: i)
      }
      return
    }
    if depth == elementsDepth {
      beginCapture(.element(index: frames[depth - 1].childIndex), i)
    } else if depth > steps.count || openComponent(depth - 1) != steps[depth - 1] {
      beginCapture(.sibling(JSONPath(openComponents(depth))), i)
    } else if depth == steps.count {
      guard opensArray else { throw elementsNotFound(instead: name(ofValue: byte), at: i) }
      try enterElements(at: i, bytes)
    } else if !opensArray, !opensObject {
      throw elementsNotFound(instead: name(ofValue: byte), at: i)
    }
  }

  private mutating func enterElements(at i: Int, _ bytes: UnsafePointer<UInt8>) throws {
    guard !elementsSeen else { throw ambiguousElements(at: i, bytes) }
    elementsSeen = true
    elementsDepth = frames.count + 1
  }

  /// Records that a frame outside captured values is closed.
  mutating func leave(depth: Int) {
    if depth == elementsDepth { elementsDepth = -1 }
    if openKeys.count >= depth { openKeys.removeLast(openKeys.count - depth + 1) }
  }

  /// Records the key that has just ended outside captured values.
  mutating func finishOpenKey(_ bytes: UnsafePointer<UInt8>, _ i: Int) throws {
    guard token.isKey else { return }
    if base + i - token.start > Self.maximumKeyBytes { throw keyTooLong() }
    let marks = token.marks
    let key: String
    if keyBytes.isEmpty {
      let start = token.start - base
      key = JSONText.lossyString(
        UnsafeBufferPointer(start: bytes + start, count: i - start), marks)
    } else {
      keyBytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: i))
      key = keyBytes.withUnsafeBufferPointer { JSONText.lossyString($0, marks) }
      keyBytes.removeAll()
    }
    while openKeys.count < frames.count { openKeys.append("") }
    openKeys[frames.count - 1] = key
  }

  /// The path component of an open frame's current child.
  private func openComponent(_ frameIndex: Int) -> JSONPath.Component {
    guard frames[frameIndex].isObject else { return .index(frames[frameIndex].childIndex) }
    return .key(frameIndex < openKeys.count ? openKeys[frameIndex] : "")
  }

  /// The path components of the current children of the outermost frames.
  func openComponents(_ depth: Int) -> [JSONPath.Component] {
    (0..<min(depth, frames.count)).compactMap { index in
      frames[index].isObject && index >= openKeys.count ? nil : openComponent(index)
    }
  }

  // MARK: Keeping a value

  private mutating func beginCapture(_ event: Event, _ i: Int) {
    captureEvent = event
    capturePathBytes = if case .sibling(let path) = event { path.keptBytes } else { 0 }
    captureDepth = frames.count
    captureOffset = base + i
    captureStart = i
    mode = remainingBytes > 0 ? .capturing : .dropping
  }

  /// The maximum number of bytes of the captured value.
  private var remainingBytes: Int {
    switch captureEvent {
    case .sibling, .oversizedSibling:
      limits.maximumSiblingBytes - siblingBytes - capturePathBytes
    case .element, .oversizedElement, .offeredElement:
      target == .document ? Int(UInt32.max) >> 1 : limits.maximumElementBytes
    }
  }

  /// Completes the captured value, which ends before a position in the piece.
  mutating func completeCapture(at end: Int, piece: UnsafeBufferPointer<UInt8>?) -> Event {
    let length = base + end - captureOffset
    let keeps = mode == .capturing && length <= remainingBytes
    mode = .outside
    captureDepth = -1
    guard keeps else {
      switch captureEvent {
      case .sibling(let path): return .oversizedSibling(path)
      case .element(let index): return .oversizedElement(index: index)
      case .oversizedElement, .oversizedSibling, .offeredElement: return captureEvent
      }
    }
    if case .sibling = captureEvent { siblingBytes += length + capturePathBytes }
    if pending.isEmpty {
      capturedRange = captureStart..<end
    } else if let piece {
      pending.append(contentsOf: piece[0..<end])
    }
    return captureEvent
  }

  /// Releases the value that was returned.
  mutating func releaseCapture() {
    captureCompleted = false
    tape.removeAll()
    pending.removeAll(keepingCapacity: pending.capacity <= 1 << 16)
  }

  /// Keeps the required part of a consumed piece.
  mutating func endPiece(_ piece: UnsafeBufferPointer<UInt8>) throws {
    if mode == .capturing {
      if pending.count + piece.count - captureStart > remainingBytes {
        mode = .dropping
        pending.removeAll()
        tape.removeAll()
      } else {
        pending.append(contentsOf: piece[captureStart...])
      }
      captureStart = 0
    } else if mode == .outside, state == .string, token.isKey {
      keyBytes.append(contentsOf: piece[max(0, token.start - base)...])
      if keyBytes.count > Self.maximumKeyBytes { throw keyTooLong() }
    }
    if prefix.count < ForeignContent.prefixLength {
      prefix.append(contentsOf: piece.prefix(ForeignContent.prefixLength - prefix.count))
    }
    base += piece.count
    if state == .unrecognized, prefix.count >= ForeignContent.prefixLength {
      throw unrecognized()
    }
  }
}

extension JSONPath {
  /// The number of bytes of its keys and indices.
  fileprivate var keptBytes: Int {
    components.reduce(0) { count, component in
      switch component {
      case .key(let key): count + key.utf8.count
      case .index: count + MemoryLayout<Int>.size
      }
    }
  }
}
