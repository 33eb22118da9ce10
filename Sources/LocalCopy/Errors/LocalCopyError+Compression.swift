import WireFormats

extension LocalCopyError {
  /// Creates the error for a body that can't be inflated.
  init(_ error: CompressionError) {
    switch error.code {
    case .outOfMemory:
      self.init(
        .compressionInvalid, reason: "zlib could not be started",
        advice: "Free some memory and try again.")
    case .truncated:
      self.init(
        .truncated, reason: "The compressed data ends before it is complete",
        advice: "Nothing was changed; try again later.")
    default:
      self.init(
        .compressionInvalid, reason: "The body is labelled as compressed, but does not inflate",
        advice: "Nothing was changed; try again later and tell the publisher if it stays.")
      underlying = "zlib \(error.detail): \(error.message ?? "no message")"
    }
  }
}
