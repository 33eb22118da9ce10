/// Who may see and change what on a server.
///
/// There is no default: who owns an object is the application's to say. Most have a property with the owner's name:
///
/// ```swift
/// let server = try SyncServer(container, models: models, rules: .owned(by: "owner"))
/// ```
public struct SyncServerRules: Sendable {
  /// Every user sees and changes everything: for servers whose users trust each other in all.
  public static let everyoneSeesEverything = SyncServerRules(scope: { _, _ in nil })

  /// Each user sees and changes the objects with his name in a property, and no others. An object without a name there is
  /// nobody's.
  ///
  /// - Parameter property: A property that holds the owner's name as text, in every class that takes part.
  public static func owned(by property: String) -> SyncServerRules {
    // The unit separator is no user's name.
    SyncServerRules(scope: { _, values in values[property]?.text ?? "\u{1F}" })
  }

  /// The scope of an object: the name of the user who alone may see and change it; nil for everybody.
  ///
  /// A user whose name isn't the scope of an object doesn't get it and can't change it. All that can be learned of it is
  /// that its key is taken.
  public var scope: @Sendable (SyncObjectID, SyncValues) -> String?
  /// Looks at a change of a user before it is stored: a rejection refuses it.
  public var validate: @Sendable (_ user: String, SyncChange) -> SyncRejection?
  /// Gives a new object its key; nil to keep the one that the client chose.
  public var assignKey: @Sendable (_ user: String, SyncObjectID, SyncValues) -> String?

  /// - Parameters:
  ///   - scope: The name of the user who alone may see and change an object; nil for everybody.
  ///   - validate: Looks at a change of a user; a rejection refuses it.
  ///   - assignKey: Gives a new object its key; nil to keep the client's.
  public init(
    scope: @escaping @Sendable (SyncObjectID, SyncValues) -> String?,
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
