/// Who may see and change what on a server.
public struct SyncServerRules: Sendable {
  /// The scope of an object: the name of the user who alone may see and change it; nil for everybody.
  ///
  /// A user whose name isn't the scope of an object doesn't get it and can't change it. All that can be learned of it is
  /// that its key is taken.
  public var scope: @Sendable (SyncObjectID, SyncValues) -> String?
  /// Looks at a change of a user before it is stored: a rejection refuses it.
  public var validate: @Sendable (_ user: String, SyncChange) -> SyncRejection?
  /// Gives a new object its key; nil to keep the one that the client chose.
  public var assignKey: @Sendable (_ user: String, SyncObjectID, SyncValues) -> String?

  public init(
    scope: @escaping @Sendable (SyncObjectID, SyncValues) -> String? = { _, _ in nil },
    validate: @escaping @Sendable (_ user: String, SyncChange) -> SyncRejection? = { _, _ in nil },
    assignKey: @escaping @Sendable (_ user: String, SyncObjectID, SyncValues) -> String? = {
      _, _, _ in nil
    }
  ) {
    self.scope = scope
    self.validate = validate
    self.assignKey = assignKey
  }
}
