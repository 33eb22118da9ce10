/// The content of the response to a feed request, in pieces.
enum FeedContent: Sequence, IteratorProtocol, Sendable {
  /// A document that is generated while it is sent.
  case synthetic(FeedDocument)
  /// A capture, in one piece.
  case capture([UInt8])
  /// No further pieces.
  case end

  mutating func next() -> [UInt8]? {
    switch self {
    case .synthetic(var document):
      self = .end
      let piece = document.next()
      if piece != nil { self = .synthetic(document) }
      return piece
    case .capture(let bytes):
      self = .end
      return bytes
    case .end:
      return nil
    }
  }
}
