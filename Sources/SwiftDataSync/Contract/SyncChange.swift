/// One object's change on its way to the server.
public struct SyncChange: Hashable, Sendable {
  /// What the object is to become.
  public enum Content: Hashable, Sendable {
    /// To exist with these values.
    case put(SyncValues)
    /// To be gone.
    case delete
  }

  /// The idempotency key: the same for every attempt, whatever crashes in between. A server that has seen it answers
  /// what it answered then.
  public var id: String
  public var object: SyncObjectID
  public var content: Content
  /// The server's version that the change was made upon; nil for an object that the server hasn't had.
  public var baseVersion: Int64?

  public init(id: String, object: SyncObjectID, content: Content, baseVersion: Int64?) {
    self.id = id
    self.object = object
    self.content = content
    self.baseVersion = baseVersion
  }

  /// The values; nil for a deletion.
  public var values: SyncValues? { if case .put(let values) = content { values } else { nil } }
}

/// An object as the server has it.
public struct SyncRemote: Hashable, Sendable {
  public var object: SyncObjectID
  /// Grows with every change of the object on the server.
  public var version: Int64
  /// nil for a deleted object.
  public var values: SyncValues?

  public init(object: SyncObjectID, version: Int64, values: SyncValues?) {
    self.object = object
    self.version = version
    self.values = values
  }
}

/// What a server says to one change.
public enum SyncOutcome: Hashable, Sendable {
  /// It is stored.
  ///
  /// - Parameters:
  ///   - version: The object's new version.
  ///   - key: The key that the server gave to a new object, when it isn't the one that was pushed.
  ///   - values: The values as stored, when they aren't those that were pushed.
  case accepted(version: Int64, key: String? = nil, values: SyncValues? = nil)
  /// Somebody else was faster; nothing is stored. The object as it is there.
  case conflict(SyncRemote)
  /// The server won't have it, now or later. Nothing is stored.
  case rejected(SyncRejection)
}

/// Why a server won't have a change.
public struct SyncRejection: Hashable, Sendable {
  /// A word for programs, as in `invalid`, `forbidden`, `unknownReference`.
  public var code: String
  /// A sentence for people.
  public var message: String

  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

/// A part of what has changed on the server, or of all that it has.
public struct SyncPage: Hashable, Sendable {
  /// What absence from the pages says.
  public enum Coverage: Hashable, Sendable {
    /// Nothing: these are the changes since the cursor.
    case delta
    /// That the server doesn't have it: these are all objects of the named entities, of all entities when nil.
    /// Entities that aren't named are left alone.
    case full(entities: [String]? = nil)
  }

  /// Objects and tombstones; a change of several objects that was made at once is in one page.
  public var changes: [SyncRemote]
  /// Where the next page begins; opaque.
  public var cursor: String
  /// Whether the next page has something already.
  public var hasMore: Bool
  public var coverage: Coverage

  public init(
    changes: [SyncRemote], cursor: String, hasMore: Bool, coverage: Coverage = .delta
  ) {
    self.changes = changes
    self.cursor = cursor
    self.hasMore = hasMore
    self.coverage = coverage
  }
}
