extension SyncServerLedger {
  /// Returns the name under which the outcomes of a user's client are stored: the same client of another user is a
  /// different client.
  ///
  /// U+001F separates the user from the client. If one of them contains this character, the name starts with it and the
  /// length of the user's name, and so contains it at least four times; other names contain it once.
  ///
  /// - Parameters:
  ///   - client: The identifier of the client's store.
  ///   - user: The authenticated user.
  package static func name(of client: String, user: String) -> String {
    let name = "\(user)\u{1F}\(client)"
    guard user.utf8.contains(0x1F) || client.utf8.contains(0x1F) else { return name }
    return "\u{1F}\(user.utf8.count)\u{1F}\(name)"
  }
}
