/// A change of one object that is sent to the server.
public struct SyncChange: Hashable, Sendable {
  /// The requested state of the object.
  public enum Content: Hashable, Sendable {
    /// The object exists with these values.
    case put(SyncValues)
    /// The object is deleted.
    case delete
  }

  /// The idempotency key: the same for every attempt, regardless of crashes in between. A server that has processed the
  /// change before returns the same outcome again.
  public var id: String
  /// The object that changes.
  public var object: SyncObjectID
  /// The change of the object.
  public var content: Content
  /// The server's version on which the change is based; nil for an object that the server hasn't had.
  public var baseVersion: Int64?

  /// Creates a change.
  public init(id: String, object: SyncObjectID, content: Content, baseVersion: Int64?) {
    self.id = id
    self.object = object
    self.content = content
    self.baseVersion = baseVersion
  }

  /// The values; nil for a deletion.
  public var values: SyncValues? { if case .put(let values) = content { values } else { nil } }
}

/// An object as stored on the server.
public struct SyncRemote: Hashable, Sendable {
  /// The object.
  public var object: SyncObjectID
  /// The object's version, which increases with every change on the server.
  public var version: Int64
  /// The values; nil for a deleted object.
  public var values: SyncValues?
  /// The range that contains the client's version, if the server has skipped it: the client's state is one that the
  /// server lost when its store was replaced by an older copy. Only for the outcome of a change.
  public var skipped: ClosedRange<Int64>?

  /// Creates the state of an object on the server.
  public init(object: SyncObjectID, version: Int64, values: SyncValues?) {
    self.object = object
    self.version = version
    self.values = values
  }
}

/// The server's outcome for one change.
public enum SyncOutcome: Hashable, Sendable {
  /// The change is stored.
  ///
  /// - Parameters:
  ///   - version: The object's new version.
  ///   - key: The key that the server assigned to a new object, when it isn't the pushed one.
  ///   - values: The values as stored, when they aren't the pushed ones.
  case accepted(version: Int64, key: String? = nil, values: SyncValues? = nil)
  /// Another client changed the object first; nothing is stored. Contains the object as stored on the server.
  case conflict(SyncRemote)
  /// The server rejects the change permanently. Nothing is stored.
  case rejected(SyncRejection)
}

/// The reason why a server rejects a change.
public struct SyncRejection: Hashable, Sendable {
  /// A code for programs, such as `invalid`, `forbidden`, `unknownReference`.
  public var code: String
  /// A sentence for users.
  public var message: String
  /// Further information of the server for programs, such as values that it would take; nil without any. It is kept
  /// with the rejected change.
  public var details: SyncValue?

  /// Creates a rejection without details.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

/// A part of the server's changes, or of all of its objects.
public struct SyncPage: Hashable, Sendable {
  /// The meaning of an object's absence from the pages.
  public enum Coverage: Hashable, Sendable {
    /// No meaning: these are the changes since the cursor.
    case delta
    /// The server doesn't have the object: the pages contain all objects of the named entities, or of all entities when
    /// nil. Entities that aren't named are not affected.
    case full(entities: [String]? = nil)
  }

  /// Objects and tombstones; a change that affected several objects at the same time is contained in one page.
  public var changes: [SyncRemote]
  /// The start of the next page; opaque.
  public var cursor: String
  /// Whether the next page already has changes.
  public var hasMore: Bool
  /// The objects that the page covers.
  public var coverage: Coverage
  /// The server's newest version at the time of the page; nil when versions aren't numbers that increase across all
  /// objects. An object with a later version has a state that the server lost, see ``skippedVersions``.
  public var version: Int64?
  /// The ranges of versions that the server has skipped, in ascending order, at most ``maximumSkipped``.
  ///
  /// A server skips versions with its first change after a start, so that it never assigns one twice when its store was
  /// replaced by an older copy. An object with a version in such a range has a state that was lost by this: the engine
  /// sends it again instead of taking the server's older state for a change.
  public var skippedVersions: [ClosedRange<Int64>] = []
  /// The maximum number of ranges of ``skippedVersions``; older ones are left out.
  public static let maximumSkipped = 64

  /// Creates a page.
  public init(
    changes: [SyncRemote], cursor: String, hasMore: Bool, coverage: Coverage = .delta
  ) {
    self.changes = changes
    self.cursor = cursor
    self.hasMore = hasMore
    self.coverage = coverage
  }
}

extension SyncPage {
  /// Returns the versions that the server has skipped and that contain a version, or that are beyond its newest; nil
  /// for a version that the server has assigned.
  package func skipped(_ version: Int64) -> ClosedRange<Int64>? {
    skippedVersions.skipped(version, newest: self.version)
  }
}

extension [ClosedRange<Int64>] {
  /// Returns the range that contains a version, or the versions beyond the newest one.
  package func skipped(_ version: Int64, newest: Int64?) -> ClosedRange<Int64>? {
    if let newest, version > newest { return newest + 1...Int64.max }
    return first { $0.contains(version) }
  }
}
