/// The keys that a server's rules assigned to the objects of a push.
///
/// The objects with these keys are looked up together at the end of an attempt, which assumes that there are none. If
/// there are some, the attempt is repeated with them.
struct AssignedKeys {
  private struct Question: Hashable {
    let object: SyncObjectID
    let values: SyncValues
  }

  /// The rules' answers: an attempt that is repeated gets the same keys.
  private var keys: [Question: String?] = [:]
  private var known: Set<SyncObjectID> = []
  private var unknown: Set<SyncObjectID> = []

  /// Returns the key that the rules assign to a new object; nil to keep the client's key.
  mutating func key(
    of object: SyncObjectID, _ values: SyncValues,
    _ assign: (_ user: String, SyncObjectID, SyncValues) -> String?, _ user: String
  ) -> String? {
    let question = Question(object: object, values: values)
    if let key = keys[question] { return key }
    let key = assign(user, object, values)
    keys[question] = .some(key)
    return key
  }

  /// Returns the entry that an object with an assigned key is assumed to have: none.
  mutating func entry(of object: SyncObjectID) -> SyncServerEntry {
    if !known.contains(object) { unknown.insert(object) }
    return SyncServerEntry()
  }

  /// Looks up the objects whose entries were assumed.
  ///
  /// - Returns: The objects that have entries.
  mutating func lookUp(
    in storage: any SyncServerStorage
  ) throws -> [SyncObjectID: SyncServerEntry] {
    guard !unknown.isEmpty else { return [:] }
    defer {
      known.formUnion(unknown)
      unknown = []
    }
    return try storage.load(Array(unknown))
  }
}
