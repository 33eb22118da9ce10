import SwiftDataSync

/// One kind of resource of a REST server, with its local entity.
public struct RESTResource: Sendable {
  /// The way in which a server distinguishes the states of a resource.
  public enum Versions: Hashable, Sendable {
    /// The server doesn't: the last put wins, and only the next pull detects conflicts.
    case none
    /// Each element has a member with a number that is different after every change, and the resource's entity tag is
    /// that number in quotation marks.
    case revision(member: String)
    /// A resource's `GET` has an entity tag of any form. The resource's values show whether it is still in the state on
    /// which both sides agreed, so each change of a known resource costs a preceding `GET`. A weak tag can't be a
    /// condition (RFC 9110 section 13.1.1): a change that another client puts between the two requests is then
    /// overwritten.
    case entityTags
  }

  /// The kind of the collection's elements.
  enum Content: Sendable {
    case objects
    /// Keys: the collection is a set. `PUT` of a resource without a body adds its key, `DELETE` removes it.
    case keys(property: String)
  }

  /// The name of the entity.
  public var entity: String
  /// The path of the collection below the transport's address, as in `reservations`. The path of a resource is
  /// `reservations/KEY`.
  public var path: String
  /// The member of the collection's document that holds the elements; nil when the document itself is the list.
  public var list: String?
  /// Returns the key and the values of one element of the collection; nil for an element to ignore. Omitted values keep
  /// their local value. A thrown error ends the pull without applying anything: an unreadable element must not count as
  /// a deleted one.
  public var read: @Sendable (SyncValue) throws -> (key: String, values: SyncValues)?
  /// Returns the document to put.
  public var write: @Sendable (_ key: String, SyncValues) -> SyncValue
  /// Whether edits are sent; otherwise, the resource is only read, and edits of it are quarantined.
  public var isWritable: Bool
  /// Whether the server may lack the collection, as an earlier version of it does: a 404 for the collection then leaves
  /// the local objects as they are. Otherwise, it ends the pull.
  public var isOptional = false
  /// The way in which the server distinguishes the states of a resource.
  public var versions: Versions
  let content: Content

  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - path: The path of the collection.
  ///   - list: The member of the collection's document that holds the elements; nil when the document itself is the
  ///     list.
  ///   - isWritable: Whether edits are sent.
  ///   - versions: The way in which the server distinguishes the states of a resource.
  ///   - read: Returns the key and the values of an element.
  ///   - write: Returns the document of a resource; by default, the values themselves.
  public init(
    entity: String, path: String, list: String? = nil, isWritable: Bool = true,
    versions: Versions = .none,
    read: @escaping @Sendable (SyncValue) throws -> (key: String, values: SyncValues)?,
    write: @escaping @Sendable (_ key: String, SyncValues) -> SyncValue = { .object($1) }
  ) {
    self.entity = entity
    self.path = path
    self.list = list
    self.isWritable = isWritable
    self.versions = versions
    self.read = read
    self.write = write
    content = .objects
  }

  private init(_ entity: String, _ path: String, _ list: String?, keysOf property: String) {
    self.entity = entity
    self.path = path
    self.list = list
    isWritable = true
    versions = .none
    content = .keys(property: property)
    read = { element in
      guard let key = Self.key(element) else {
        throw SyncFailure(.server, "The server sent something else than keys of \(entity)")
      }
      return (key, [property: .boolean(true)])
    }
    write = { .object($1) }
  }

  /// Creates a set of keys: an object whose key is in the set has `true` for a property of an annotated class, whose
  /// default is `false` (``SyncedModel/init(annotating:key:properties:policy:marks:)``).
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - path: The path of the set, as in `favorites`. `PUT` of `favorites/KEY` adds a key, `DELETE` removes it.
  ///   - list: The member of the set's document that holds the keys, texts or integers; nil when the document itself is
  ///     the list.
  ///   - property: The Boolean property.
  public static func set(
    entity: String, path: String, list: String? = nil, property: String
  ) -> RESTResource {
    RESTResource(entity, path, list, keysOf: property)
  }

  private static func key(_ element: SyncValue) -> String? {
    switch element {
    case .text(let text) where !text.isEmpty: text
    case .integer(let integer): String(integer)
    default: nil
    }
  }
}

extension RESTResource {
  /// Converts an element of the collection, or the document of a resource, for the ledger.
  ///
  /// - Parameter newest: The server's newest version: the one of a resource without versions.
  /// - Throws: ``SyncFailure`` when it can't be read.
  func remote(_ element: SyncValue, newest: Int64? = nil) throws -> SyncRemote? {
    let found: (key: String, values: SyncValues)?
    do { found = try read(element) } catch let failure as SyncFailure { throw failure } catch {
      throw SyncFailure(
        .server, "The server sent an element of /\(path) that can't be read: \(error)")
    }
    guard let (key, values) = found else { return nil }
    return SyncRemote(
      object: SyncObjectID(entity, key), version: try version(element, values, newest),
      values: values)
  }

  private func version(
    _ element: SyncValue, _ values: SyncValues, _ newest: Int64?
  ) throws -> Int64 {
    switch versions {
    // Full pages are compared whatever the version: it only states that the server has the object.
    case .none: return newest ?? 1
    case .revision(let member):
      guard case .object(let members) = element, case .integer(let revision) = members[member]
      else {
        throw SyncFailure(
          .server, "The server sent an element of /\(path) without the number “\(member)”")
      }
      return revision
    case .entityTags:
      // FNV-1a: equal values have equal numbers in every process.
      let hash = SyncValue.object(values).json.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      return Int64(hash >> 1)
    }
  }

  /// Returns the elements of the collection's document.
  ///
  /// - Throws: ``SyncFailure`` when the document has no such list.
  func elements(_ body: [UInt8]) throws -> [SyncValue] {
    var document = try Self.document(body)
    if let list {
      guard case .object(let members) = document, let found = members[list] else {
        throw SyncFailure(.server, "The server's answer of /\(path) has no “\(list)”")
      }
      document = found
    }
    guard case .list(let elements) = document else {
      throw SyncFailure(.server, "The server sent something else than a list for /\(path)")
    }
    return elements
  }

  /// The number of levels that a document has above a value: the document's object, the list, and the element.
  private static let levelsAbove = 3

  /// - Throws: ``SyncFailure`` for something else than JSON, and for a value with more than 64 levels. A value with
  ///   fewer that no property can have concerns its object only.
  static func document(_ body: [UInt8]) throws -> SyncValue {
    do {
      return try SyncJSON.parse(body, maximumDepth: SyncJSON.maximumDepth + levelsAbove)
    } catch {
      throw SyncFailure(.server, "The server sent something else than JSON: \(error)")
    }
  }
}
