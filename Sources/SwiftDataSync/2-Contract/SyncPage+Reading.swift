import WireFormats

/// Parses a page without creating a value for everything in it: pages are most of the transferred
/// data.
extension SyncPage {
  /// - Throws: `JSONError`, ``SyncCoding/Missing``.
  package static func parse(_ document: some Sequence<UInt8>) throws -> SyncPage {
    try SyncJSON.parse(document) { parser in
      var changes: [SyncRemote]?
      var members: [String: SyncValue] = [:]
      try parser.forEachMember(of: "page") { parser, name in
        guard members[name] == nil, name != "changes" || changes == nil else {
          throw JSONError.Reason.uniqueName
        }
        if name == "changes" {
          changes = try parser.remotes()
        } else {
          members[name] = try parser.value(depth: 1)
        }
      }
      guard let changes else { throw SyncCoding.Missing(member: "changes") }
      return try SyncPage(members, changes: changes)
    }
  }
}

extension SyncJSON {
  /// Calls `body` before the value of each member of an object; `body` reads the value.
  fileprivate mutating func forEachMember(
    of what: String, _ body: (inout SyncJSON, String) throws -> Void
  ) throws {
    guard cursor.takeNext(UInt8(ascii: "{")) else {
      _ = try value(depth: 0)
      throw SyncCoding.Missing(member: what)
    }
    if cursor.takeNext(UInt8(ascii: "}")) { return }
    repeat {
      let name = try name()
      try body(&self, name)
    } while cursor.takeNext(UInt8(ascii: ","))
    guard cursor.takeNext(UInt8(ascii: "}")) else { throw JSONError.Reason.endOfObject }
  }

  fileprivate mutating func remotes() throws -> [SyncRemote] {
    guard cursor.takeNext(UInt8(ascii: "[")) else {
      _ = try value(depth: 1)
      throw SyncCoding.Missing(member: "changes")
    }
    var remotes: [SyncRemote] = []
    if cursor.takeNext(UInt8(ascii: "]")) { return remotes }
    repeat { remotes.append(try remote()) } while cursor.takeNext(UInt8(ascii: ","))
    guard cursor.takeNext(UInt8(ascii: "]")) else { throw JSONError.Reason.endOfArray }
    return remotes
  }

  private mutating func remote() throws -> SyncRemote {
    var (entity, key): (String?, String?)
    var version: Int64?
    var values: SyncValues??
    var others: [String: SyncValue] = [:]
    try forEachMember(of: "change") { parser, name in
      let isFirst: Bool
      switch name {
      case "entity":
        isFirst = entity == nil
        entity = try parser.text(of: name)
      case "key":
        isFirst = key == nil
        key = try parser.text(of: name)
      case "version":
        isFirst = version == nil
        guard case .integer(let integer) = try parser.value(depth: 3) else {
          throw SyncCoding.Missing(member: name)
        }
        version = integer
      case "values":
        isFirst = values == nil
        values = .some(try parser.values())
      default: isFirst = others.updateValue(try parser.value(depth: 3), forKey: name) == nil
      }
      if !isFirst { throw JSONError.Reason.uniqueName }
    }
    let given = values ?? nil
    guard try SyncCoding.flag(others, "deleted") == (given == nil) else {
      throw SyncCoding.Missing(member: "values")
    }
    guard let entity else { throw SyncCoding.Missing(member: "entity") }
    guard let key else { throw SyncCoding.Missing(member: "key") }
    guard let version else { throw SyncCoding.Missing(member: "version") }
    return SyncRemote(object: SyncObjectID(entity, key), version: version, values: given)
  }

  private mutating func text(of member: String) throws -> String {
    guard case .text(let text) = try value(depth: 3) else {
      throw SyncCoding.Missing(member: member)
    }
    return text
  }

  private mutating func values() throws -> SyncValues? {
    switch try value(depth: 3) {
    case .null: return nil
    case .object(let values): return values
    default: throw SyncCoding.Missing(member: "values")
    }
  }
}
