import WireFormats

/// Receives the bytes of a body as sent, enforces the limits, and inflates the body when needed.
final class BodyDecoder {
  /// The content coding of a body, as known before the body arrives.
  enum Coding: Equatable {
    /// The sender declares the body compressed.
    case compressed
    /// The body is compressed if its first two bytes are the gzip signature (RFC 1952 section
    /// 2.3.1).
    case detected
  }

  /// The number of inflated bytes that are exempt from the limit on the ratio.
  private static let ratioAllowance = 1 << 20

  private let configuration: HTTPConfiguration
  private var coding: Coding
  private var inflater: Inflater?
  /// A first byte that may be the first half of the gzip signature.
  private var held: UInt8?
  private var isDecided = false
  /// The number of bytes as sent.
  private(set) var wireBytes = 0
  /// The number of bytes after inflating.
  private(set) var decodedBytes = 0

  init(_ coding: Coding, _ configuration: HTTPConfiguration) {
    self.coding = coding
    self.configuration = configuration
  }

  /// Receives a piece of the body.
  /// - Parameters:
  ///   - piece: bytes as sent.
  ///   - sink: receives decoded bytes, which are valid only during the call.
  func receive(
    _ piece: UnsafeBufferPointer<UInt8>, _ sink: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    guard piece.count > 0 else { return }
    wireBytes += piece.count
    guard wireBytes <= configuration.maximumWireBytes else {
      throw tooLarge("The body has more than \(configuration.maximumWireBytes) bytes")
    }
    if isDecided { return try decode(piece, sink) }
    if let first = held {
      held = nil
      try decide(first, piece[0])
      try withUnsafePointer(to: first) {
        try decode(UnsafeBufferPointer(start: $0, count: 1), sink)
      }
      try decode(piece, sink)
    } else if piece.count == 1, piece[0] == 0x1F, coding == .detected {
      held = piece[0]
    } else {
      try decide(piece[0], piece.count > 1 ? piece[1] : 0)
      try decode(piece, sink)
    }
  }

  /// Handles the end of the body.
  func finish(_ sink: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    if let first = held {
      held = nil
      try withUnsafePointer(to: first) {
        try decode(UnsafeBufferPointer(start: $0, count: 1), sink)
      }
    }
    if coding == .compressed, !isDecided { try startInflating() }
    do { try inflater?.finish() } catch let error as CompressionError {
      throw LocalCopyError(error)
    }
  }

  private func decide(_ first: UInt8, _ second: UInt8) throws {
    isDecided = true
    if coding == .compressed || (first == 0x1F && second == 0x8B) { try startInflating() }
  }

  private func startInflating() throws {
    do { inflater = try Inflater() } catch let error as CompressionError {
      throw LocalCopyError(error)
    }
  }

  private func decode(
    _ piece: UnsafeBufferPointer<UInt8>, _ sink: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    guard let inflater else {
      try count(piece.count)
      return try sink(piece)
    }
    do {
      try inflater.inflate(piece) { decoded in
        try count(decoded.count)
        let ratio = max(1, configuration.maximumInflationRatio)
        guard decodedBytes <= Self.ratioAllowance || decodedBytes / ratio <= wireBytes else {
          throw tooLarge("The body inflates to more than \(ratio) times its size")
        }
        try sink(decoded)
      }
    } catch let error as CompressionError {
      throw LocalCopyError(error)
    }
  }

  private func count(_ bytes: Int) throws {
    decodedBytes += bytes
    guard decodedBytes <= configuration.maximumDecodedBytes else {
      throw tooLarge("The document has more than \(configuration.maximumDecodedBytes) bytes")
    }
  }

  private func tooLarge(_ reason: String) -> LocalCopyError {
    LocalCopyError(
      .limitExceeded, reason: reason,
      advice: "If the feed is to be trusted, raise the limit.")
  }
}
