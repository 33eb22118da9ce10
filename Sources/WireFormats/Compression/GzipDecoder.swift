/// Expands gzip data (RFC 1952) that is in memory, up to a maximum size. ``Inflater`` expands data in pieces.
public enum GzipDecoder {
  /// Returns whether the first two bytes are those of gzip data (RFC 1952, 2.3.1).
  /// - Parameter bytes: the beginning of the data.
  public static func isGzip(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: [0x1f, 0x8b])
  }

  /// Expands gzip data.
  /// - Parameters:
  ///   - bytes: the whole data, one or more members.
  ///   - limit: the maximum size of the result, in bytes.
  /// - Throws: ``CompressionError`` when the data is damaged, truncated or expands beyond the limit.
  public static func expand(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
    let inflater = try Inflater(.gzip)
    var output: [UInt8] = []
    try bytes.withUnsafeBufferPointer { bytes in
      try inflater.inflate(bytes) { piece in
        guard output.count + piece.count <= limit else {
          throw CompressionError(code: .tooLarge, detail: limit)
        }
        output.append(contentsOf: piece)
      }
    }
    try inflater.finish()
    return output
  }
}
