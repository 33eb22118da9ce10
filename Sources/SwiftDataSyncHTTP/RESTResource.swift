import SwiftDataSync

/// One kind of resource of a REST server, and the entity that it is here.
public struct RESTResource: Sendable {
  /// How a server tells one state of a resource from another.
  public enum Versions: Hashable, Sendable {
    /// Not at all: the last put counts, and conflicts are seen by the next pull only.
    case none
    /// Each element has a member with a number that is another one after every change, and the resource's entity tag
    /// is that number in quotation marks.
    case revision(member: String)
    /// A resource's `GET` has an entity tag of any form. Whether it is still the state that both sides agreed on is
    /// told by its values, so each change of a known resource costs a `GET` before it. A weak tag can't be a condition
    /// (RFC 9110 section 13.1.1): what somebody else puts between the two requests is then overwritten.
    case entityTags
  }

  /// What the collection's elements are.
  enum Content: Sendable {
    case objects
    /// Keys: the collection is a set. `PUT` of a resource without a body adds it, `DELETE` removes it.
    case keys(property: String)
  }

  /// The name of the entity.
  public var entity: String
  /// Where the collection is, below the transport's address, as in `reservations`. A resource is at
  /// `reservations/KEY`.
  public var path: String
  /// The member of the collection's document that has the elements; nil when the document is the list.
  public var list: String?
  /// Makes the key and the values of one element of the collection; nil for an element that isn't wanted. Values that
  /// are left out stay as they are here. What it throws ends the pull, and nothing is taken: an element that can't be
  /// read is not one that is gone.
  public var read: @Sendable (SyncValue) throws -> (key: String, values: SyncValues)?
  /// Makes the document that is put.
  public var write: @Sendable (_ key: String, SyncValues) -> SyncValue
  /// Whether edits are sent; else the resource is only read, and edits of it are set aside.
  public var isWritable: Bool
  /// How the server tells one state of a resource from another.
  public var versions: Versions
  let content: Content

  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - path: Where the collection is.
  ///   - list: The member of the collection's document that has the elements; nil when the document is the list.
  ///   - isWritable: Whether edits are sent.
  ///   - versions: How the server tells one state of a resource from another.
  ///   - read: Makes key and values of an element.
  ///   - write: Makes the document of a resource; the values themselves unless given.
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

  /// A set of keys: who is in it has `true` for a property of an annotated class, whose default is `false`
  /// (``SyncedModel/init(annotating:key:properties:policy:marks:)``).
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - path: Where the set is, as in `favorites`. `PUT` of `favorites/KEY` adds a key, `DELETE` removes it.
  ///   - list: The member of the set's document that has the keys, texts or integers; nil when the document is the list.
  ///   - property: The property.
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
  /// An element of the collection, or the document of a resource, as the ledger wants it.
  ///
  /// - Throws: ``SyncFailure`` when it can't be read.
  func remote(_ element: SyncValue) throws -> SyncRemote? {
    let found: (key: String, values: SyncValues)?
    do { found = try read(element) } catch let failure as SyncFailure { throw failure } catch {
      throw SyncFailure(
        .server, "The server sent an element of /\(path) that can't be read: \(error)")
    }
    guard let (key, values) = found else { return nil }
    return SyncRemote(
      object: SyncObjectID(entity, key), version: try version(element, values), values: values)
  }

  private func version(_ element: SyncValue, _ values: SyncValues) throws -> Int64 {
    switch versions {
    // Full pages are compared whatever the version: it only says that the server has the object.
    case .none: return 1
    case .revision(let member):
      guard case .object(let members) = element, case .integer(let revision) = members[member]
      else {
        throw SyncFailure(
          .server, "The server sent an element of /\(path) without the number “\(member)”")
      }
      return revision
    case .entityTags:
      // FNV-1a: equal values have equal numbers, in every process.
      let hash = SyncValue.object(values).json.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      return Int64(hash >> 1)
    }
  }

  /// The elements of the collection's document.
  ///
  /// - Throws: ``SyncFailure`` when it is something else.
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

  static func document(_ body: [UInt8]) throws -> SyncValue {
    do { return try SyncJSON.parse(body) } catch {
      throw SyncFailure(.server, "The server sent something else than JSON: \(error)")
    }
  }
}
