/// The form and size of an image, read from its first bytes: JPEG, PNG or WebP. Pixels aren't decoded.
public struct PhotoImage: Hashable, Sendable {
  /// The format of an image.
  public enum Format: String, CaseIterable, Sendable {
    case jpeg, png, webp

    /// The media type (IANA registry "image").
    public var mediaType: String { "image/\(rawValue)" }

    /// The usual ending of a file's name.
    public var fileEnding: String { self == .jpeg ? "jpg" : rawValue }
  }

  public var format: Format
  /// The width, in pixels.
  public var width: Int
  /// The height, in pixels.
  public var height: Int

  /// Reads the form of an image.
  /// - Parameter bytes: The whole image.
  /// - Returns: nil for bytes of another kind, and for a header that is cut off or has no size.
  public init?(_ bytes: some RandomAccessCollection<UInt8>) {
    let reader = HeaderReader(bytes)
    guard let found = reader.png() ?? reader.webp() ?? reader.jpeg(), found.width > 0,
      found.height > 0
    else { return nil }
    self = found
  }

  fileprivate init(_ format: Format, _ width: Int, _ height: Int) {
    self.format = format
    self.width = width
    self.height = height
  }
}

/// Reads headers of images; every access is checked.
private struct HeaderReader<Bytes: RandomAccessCollection<UInt8>> {
  private let bytes: Bytes

  init(_ bytes: Bytes) { self.bytes = bytes }

  private func byte(_ offset: Int) -> Int? {
    guard offset >= 0, offset < bytes.count else { return nil }
    return Int(bytes[bytes.index(bytes.startIndex, offsetBy: offset)])
  }

  /// Returns an unsigned number with its most significant byte first.
  private func big(_ offset: Int, _ count: Int) -> Int? {
    var number = 0
    for index in 0..<count {
      guard let byte = byte(offset + index) else { return nil }
      number = number << 8 | byte
    }
    return number
  }

  /// Returns an unsigned number with its least significant byte first.
  private func little(_ offset: Int, _ count: Int) -> Int? {
    var number = 0
    for index in 0..<count {
      guard let byte = byte(offset + index) else { return nil }
      number |= byte << (8 * index)
    }
    return number
  }

  private func has(_ text: StaticString, at offset: Int) -> Bool {
    text.withUTF8Buffer { wanted in
      wanted.indices.allSatisfy { byte(offset + $0) == Int(wanted[$0]) }
    }
  }

  /// PNG (third edition), 5.2 and 11.2.1: the signature, and the chunk `IHDR` as the first.
  func png() -> PhotoImage? {
    guard big(0, 4) == 0x8950_4E47, big(4, 4) == 0x0D0A_1A0A, big(8, 4) == 13,
      has("IHDR", at: 12), let width = big(16, 4), let height = big(20, 4), byte(28) != nil
    else { return nil }
    return PhotoImage(.png, width, height)
  }

  /// WebP (RFC 9649, 2.4 to 2.7), with the header of VP8 (RFC 6386, 9.1) or of the lossless format.
  func webp() -> PhotoImage? {
    guard has("RIFF", at: 0), has("WEBP", at: 8) else { return nil }
    if has("VP8 ", at: 12) {
      guard big(23, 3) == 0x9D_01_2A, let width = little(26, 2), let height = little(28, 2)
      else { return nil }
      return PhotoImage(.webp, width & 0x3FFF, height & 0x3FFF)
    }
    if has("VP8L", at: 12) {
      guard byte(20) == 0x2F, let bits = little(21, 4) else { return nil }
      return PhotoImage(.webp, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }
    guard has("VP8X", at: 12), let width = little(24, 3), let height = little(27, 3) else {
      return nil
    }
    return PhotoImage(.webp, width + 1, height + 1)
  }

  /// JPEG (ITU-T T.81, B.1.1 and B.2.2): segments up to the frame header.
  func jpeg() -> PhotoImage? {
    guard big(0, 3) == 0xFF_D8_FF else { return nil }
    var offset = 2
    while byte(offset) == 0xFF {
      guard let marker = byte(offset + 1) else { return nil }
      switch marker {
      case 0xFF: offset += 1
      case 0x01, 0xD0...0xD7: offset += 2
      case 0xC4, 0xC8, 0xCC, 0xDA, 0xD8, 0xD9:
        guard marker != 0xDA, marker != 0xD8, marker != 0xD9, let length = big(offset + 2, 2),
          length >= 2
        else { return nil }
        offset += 2 + length
      case 0xC0...0xCF:
        guard let length = big(offset + 2, 2), length >= 8, let height = big(offset + 5, 2),
          let width = big(offset + 7, 2)
        else { return nil }
        return PhotoImage(.jpeg, width, height)
      default:
        guard let length = big(offset + 2, 2), length >= 2 else { return nil }
        offset += 2 + length
      }
    }
    return nil
  }
}
