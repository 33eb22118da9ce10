import Testing

@testable import LocalCopy

/// An event of a scanner, with the bytes that it kept.
struct ScannedEvent: Equatable {
  let event: JSONScanner.Event
  let text: String?
}

/// Feeds a document to a scanner in pieces of a size.
func scan(
  _ document: [UInt8], _ target: JSONScanner.Target, limits: JSONLimits = JSONLimits(),
  pieceSize: Int = .max
) throws -> [ScannedEvent] {
  var scanner = JSONScanner(target, limits: limits)
  var events: [ScannedEvent] = []
  var start = 0
  func keep(_ event: JSONScanner.Event, _ piece: UnsafeBufferPointer<UInt8>) {
    switch event {
    case .element, .sibling:
      let text = scanner.withCaptured(in: piece) { bytes, tape in
        #expect(tape.count > 0)
        return String(decoding: bytes, as: UTF8.self)
      }
      events.append(ScannedEvent(event: event, text: text))
    case .oversizedElement, .oversizedSibling, .offeredElement:
      events.append(ScannedEvent(event: event, text: nil))
    }
  }
  while start < document.count {
    let end = pieceSize < document.count - start ? start + pieceSize : document.count
    // A separate copy of each piece: an out-of-bounds read would leave the allocation.
    try Array(document[start..<end]).withUnsafeBufferPointer { piece in
      var position = 0
      while let event = try scanner.next(in: piece, at: &position) { keep(event, piece) }
    }
    start = end
  }
  try [UInt8]().withUnsafeBufferPointer { piece in
    if let event = try scanner.finish() { keep(event, piece) }
  }
  return events
}

func scan(
  _ document: String, _ target: JSONScanner.Target, limits: JSONLimits = JSONLimits(),
  pieceSize: Int = .max
) throws -> [ScannedEvent] {
  try scan(Array(document.utf8), target, limits: limits, pieceSize: pieceSize)
}
