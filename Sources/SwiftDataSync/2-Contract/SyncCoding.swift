import Foundation

/// Encodes values of the contract and of the bookkeeping tables as JSON, and decodes them.
package enum SyncCoding {
  /// The error for a member of a document that is missing or has the wrong type.
  package struct Missing: Error, Equatable, CustomStringConvertible {
    package let member: String
    package var description: String { "“\(member)” is missing or isn't what it should be" }
  }

  package static func members(_ value: SyncValue, _ name: String) throws -> [String: SyncValue] {
    guard case .object(let members) = value else { throw Missing(member: name) }
    return members
  }

  package static func text(_ members: [String: SyncValue], _ name: String) throws -> String {
    guard case .text(let text) = members[name] else { throw Missing(member: name) }
    return text
  }

  package static func integer(_ members: [String: SyncValue], _ name: String) throws -> Int64 {
    guard case .integer(let integer) = members[name] else { throw Missing(member: name) }
    return integer
  }

  package static func flag(_ members: [String: SyncValue], _ name: String) throws -> Bool {
    switch members[name] {
    case .boolean(let flag): return flag
    case nil, .null: return false
    default: throw Missing(member: name)
    }
  }

  package static func optionalInteger(
    _ members: [String: SyncValue], _ name: String
  ) throws -> Int64? {
    if members[name] == nil || members[name] == .null { return nil }
    return try integer(members, name)
  }

  package static func optionalText(
    _ members: [String: SyncValue], _ name: String
  ) throws -> String? {
    if members[name] == nil || members[name] == .null { return nil }
    return try text(members, name)
  }

  package static func values(_ members: [String: SyncValue], _ name: String) throws -> SyncValues? {
    if members[name] == nil || members[name] == .null { return nil }
    guard case .object(let values) = members[name] else { throw Missing(member: name) }
    return values
  }

  package static func list(_ members: [String: SyncValue], _ name: String) throws -> [SyncValue] {
    guard case .list(let list) = members[name] else { throw Missing(member: name) }
    return list
  }

  package static func object(_ members: [String: SyncValue]) throws -> SyncObjectID {
    SyncObjectID(try text(members, "entity"), try text(members, "key"))
  }

  static func value(_ object: SyncObjectID) -> [String: SyncValue] {
    ["entity": .text(object.entity), "key": .text(object.key)]
  }

  static func value(_ range: ClosedRange<Int64>) -> SyncValue {
    .list([.integer(range.lowerBound), .integer(range.upperBound)])
  }

  static func range(_ value: SyncValue) throws -> ClosedRange<Int64> {
    guard case .list(let bounds) = value, bounds.count == 2, case .integer(let first) = bounds[0],
      case .integer(let last) = bounds[1], first <= last
    else { throw Missing(member: "skipped") }
    return first...last
  }

  static func value(_ values: SyncValues?) -> SyncValue { values.map { .object($0) } ?? .null }
  static func value(_ integer: Int64?) -> SyncValue { integer.map { .integer($0) } ?? .null }
  static func value(_ text: String?) -> SyncValue { text.map { .text($0) } ?? .null }
  static func value(_ date: Date?) -> SyncValue {
    date.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
  }

  static func date(_ value: SyncValue?) -> Date? {
    value?.number.map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}

// MARK: - Contract

extension SyncChange {
  package var json: SyncValue {
    var members = SyncCoding.value(object)
    members["id"] = .text(id)
    members["baseVersion"] = SyncCoding.value(baseVersion)
    members["values"] = SyncCoding.value(values)
    if values == nil { members["deleted"] = .boolean(true) }
    return .object(members)
  }

  package init(json: SyncValue) throws {
    let members = try SyncCoding.members(json, "change")
    let values = try SyncCoding.values(members, "values")
    let isDeletion = try SyncCoding.flag(members, "deleted")
    guard isDeletion == (values == nil) else { throw SyncCoding.Missing(member: "values") }
    self.init(
      id: try SyncCoding.text(members, "id"), object: try SyncCoding.object(members),
      content: values.map { .put($0) } ?? .delete,
      baseVersion: try SyncCoding.optionalInteger(members, "baseVersion"))
  }
}

extension SyncRemote {
  package var json: SyncValue {
    var members = SyncCoding.value(object)
    members["version"] = .integer(version)
    members["skipped"] = skipped.map(SyncCoding.value)
    if let values {
      members["values"] = .object(values)
    } else {
      members["deleted"] = .boolean(true)
    }
    return .object(members)
  }

  package init(json: SyncValue) throws {
    let members = try SyncCoding.members(json, "change")
    let values = try SyncCoding.values(members, "values")
    guard try SyncCoding.flag(members, "deleted") == (values == nil) else {
      throw SyncCoding.Missing(member: "values")
    }
    self.init(
      object: try SyncCoding.object(members), version: try SyncCoding.integer(members, "version"),
      values: values)
    if let range = members["skipped"], range != .null { skipped = try SyncCoding.range(range) }
  }
}

extension SyncOutcome {
  package func json(id: String) -> SyncValue {
    switch self {
    case .accepted(let version, let key, let values):
      .object([
        "id": .text(id), "outcome": .text("accepted"), "version": .integer(version),
        "key": SyncCoding.value(key), "values": SyncCoding.value(values),
      ])
    case .conflict(let remote):
      .object(["id": .text(id), "outcome": .text("conflict"), "current": remote.json])
    case .rejected(let rejection):
      .object(
        rejection.members.merging(["id": .text(id), "outcome": .text("rejected")]) { $1 })
    }
  }

  package static func parse(_ json: SyncValue) throws -> (id: String, outcome: SyncOutcome) {
    let members = try SyncCoding.members(json, "result")
    let id = try SyncCoding.text(members, "id")
    switch try SyncCoding.text(members, "outcome") {
    case "accepted":
      return (
        id,
        .accepted(
          version: try SyncCoding.integer(members, "version"),
          key: try SyncCoding.optionalText(members, "key"),
          values: try SyncCoding.values(members, "values"))
      )
    case "conflict":
      return (id, .conflict(try SyncRemote(json: members["current"] ?? .null)))
    case "rejected":
      return (id, .rejected(try SyncRejection(members)))
    default: throw SyncCoding.Missing(member: "outcome")
    }
  }
}

extension SyncRejection {
  var members: [String: SyncValue] {
    var members: [String: SyncValue] = ["code": .text(code), "message": .text(message)]
    members["details"] = details
    return members
  }

  /// - Parameter members: The members of an outcome or of a quarantine, those of a rejection among them.
  init(_ members: [String: SyncValue]) throws {
    self.init(
      code: try SyncCoding.text(members, "code"),
      message: try SyncCoding.text(members, "message"))
    if let details = members["details"], details != .null { self.details = details }
  }
}

extension SyncPage {
  package var json: SyncValue {
    var members: [String: SyncValue] = [
      "changes": .list(changes.map(\.json)), "cursor": .text(cursor), "hasMore": .boolean(hasMore),
    ]
    if case .full(let entities) = coverage {
      members["full"] = .boolean(true)
      if let entities { members["entities"] = .list(entities.map { .text($0) }) }
    }
    members["version"] = version.map { .integer($0) }
    if !skippedVersions.isEmpty {
      members["skipped"] = .list(skippedVersions.map(SyncCoding.value))
    }
    return .object(members)
  }

  /// - Parameter members: The members of a page other than its changes.
  init(_ members: [String: SyncValue], changes: [SyncRemote]) throws {
    var coverage = Coverage.delta
    if try SyncCoding.flag(members, "full") {
      // A missing list means all entities; an empty list means none.
      let named =
        members["entities"] == nil || members["entities"] == .null
        ? nil : try SyncCoding.list(members, "entities")
      coverage = .full(
        entities: try named?.map { value in
          guard let name = value.text else { throw SyncCoding.Missing(member: "entities") }
          return name
        })
    }
    self.init(
      changes: changes, cursor: try SyncCoding.text(members, "cursor"),
      hasMore: try SyncCoding.flag(members, "hasMore"), coverage: coverage)
    version = try SyncCoding.optionalInteger(members, "version")
    if members["skipped"] != nil, members["skipped"] != .null {
      skippedVersions = try SyncCoding.list(members, "skipped").suffix(Self.maximumSkipped)
        .map(SyncCoding.range)
    }
  }
}
