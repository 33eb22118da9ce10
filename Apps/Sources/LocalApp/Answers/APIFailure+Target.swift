import WireFormats

extension APIFailure {
  /// Creates the refusal of a request whose target can't be used.
  /// - Parameter error: The target's error.
  package init(_ error: RequestTargetError) {
    switch error.code {
    case .tooLong: self.init(.uriTooLong, "target_too_long", "The address is too long.")
    case .invalidEncoding:
      self.init(.badRequest, "invalid_encoding", "The address is not encoded correctly.")
    default: self.init(.badRequest, "invalid_target", "The request's target must be a path.")
    }
  }
}
