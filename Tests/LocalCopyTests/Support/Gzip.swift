import WireFormats

/// Compresses bytes as gzip does (RFC 1952).
func gzip(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
  try GzipEncoder.compress(bytes, level: level)
}
