/// The access rules of a server: which users may read and change which objects.
///
/// There is no default: the application must define the owners of objects. Most models have a property with the owner's
/// name:
///
/// ```swift
/// let server = try SyncServer(container, models: models, rules: .owned(by: "owner"))
/// ```
public struct SyncServerRules: Sendable {
  /// Every user reads and changes everything: for servers whose users trust each other completely.
  public static let everyoneSeesEverything = {
    var rules = SyncServerRules(scope: { _, _ in nil })
    rules.isOpen = true
    return rules
  }()

  /// Each user reads and changes only the objects with the user's name in a property. An object without a name there
  /// belongs to no user.
  ///
  /// - Parameter property: A property that holds the owner's name as text, in every synchronized class.
  public static func owned(by property: String) -> SyncServerRules {
    var rules = SyncServerRules(scope: { _, values in values[property]?.text ?? Self.nobody })
    rules.ownerProperty = property
    return rules
  }

  /// The property that ``owned(by:)`` names; nil for other scopes.
  private(set) var ownerProperty: String?
  /// Whether every user certainly reads everything.
  private(set) var isOpen = false

  /// Returns the scope of an object: the name of the only user who may read and change it; nil for all users.
  ///
  /// A user whose name isn't the object's scope can neither read nor change it. Such a user can only learn that its key
  /// is taken. New references to it are treated like references to an object that doesn't exist, and a deletion that
  /// would cascade to it is rejected.
  public var scope: @Sendable (SyncObjectID, SyncValues) -> String? {
    didSet { (ownerProperty, isOpen) = (nil, false) }
  }
  /// Validates a user's change before it is stored: a returned rejection rejects it.
  public var validate: @Sendable (_ user: String, SyncChange) -> SyncRejection?
  /// Assigns the key of a new object; returns nil to keep the client's key.
  public var assignKey: @Sendable (_ user: String, SyncObjectID, SyncValues) -> String?

  /// - Parameters:
  ///   - scope: Returns the name of the only user who may read and change an object; nil for all users.
  ///   - validate: Validates a user's change; a returned rejection rejects it.
  ///   - assignKey: Assigns the key of a new object; returns nil to keep the client's key.
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

extension SyncServerRules {
  /// The scope of objects that belong to no user. No user has this name, whatever the authentication says.
  static let nobody = "\u{1F}"

  /// Whether the objects of a scope are a user's, or everybody's.
  static func includes(_ user: String, in scope: String?) -> Bool {
    scope == nil || scope == user && user != nobody
  }

  /// Whether a user may read an object, or the object doesn't exist.
  ///
  /// The scope of the values counts as well as the stored scope, which may be older than the values, or than the rules.
  func allow(_ user: String, toRead object: SyncObjectID, _ entry: SyncServerEntry) -> Bool {
    guard let values = entry.values else { return true }
    return [entry.scope, scope(object, values)].allSatisfy { Self.includes(user, in: $0) }
  }
}
