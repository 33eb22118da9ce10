import Foundation

/// Encodes values of the bookkeeping tables as JSON, and decodes them.
extension SyncQuarantine {
  var json: SyncValue {
    var members: [String: SyncValue] = [
      "date": SyncCoding.value(date), "isUncertain": .boolean(isUncertain),
    ]
    if let change { members["change"] = change.json }
    switch reason {
    case .rejected(let rejection):
      members.merge(rejection.members) { $1 }
      members["reason"] = .text("rejected")
    case .failing(let message):
      members["reason"] = .text("failing")
      members["message"] = .text(message)
    case .unreadable: members["reason"] = .text("unreadable")
    case .waits(let parent):
      members["reason"] = .text("waits")
      members["for"] = .object(SyncCoding.value(parent))
    case .denied(let other):
      members["reason"] = .text("denied")
      members["for"] = .object(SyncCoding.value(other))
    case .duplicate(let other, let properties):
      members["reason"] = .text("duplicate")
      members["for"] = .object(SyncCoding.value(other))
      members["properties"] = .list(properties.map { .text($0) })
    case .attachments(let properties):
      members["reason"] = .text("attachments")
      members["properties"] = .list(properties.map { .text($0) })
    }
    return .object(members)
  }

  init(json: SyncValue) throws {
    let members = try SyncCoding.members(json, "parking")
    func other() throws -> SyncObjectID {
      try SyncCoding.object(try SyncCoding.members(members["for"] ?? .null, "for"))
    }
    let reason: Reason
    switch try SyncCoding.text(members, "reason") {
    case "rejected": reason = .rejected(try SyncRejection(members))
    case "failing": reason = .failing(message: try SyncCoding.text(members, "message"))
    case "unreadable": reason = .unreadable
    case "waits": reason = .waits(for: try other())
    case "denied": reason = .denied(by: try other())
    case "duplicate":
      reason = .duplicate(
        of: try other(),
        properties: try SyncCoding.list(members, "properties").compactMap(\.text))
    case "attachments":
      reason = .attachments(
        properties: try SyncCoding.list(members, "properties").compactMap(\.text))
    default: throw SyncCoding.Missing(member: "reason")
    }
    guard let date = SyncCoding.date(members["date"]) else {
      throw SyncCoding.Missing(member: "date")
    }
    self.init(
      reason: reason, date: date, change: try members["change"].map { try SyncChange(json: $0) },
      isUncertain: try SyncCoding.flag(members, "isUncertain"))
  }
}

extension SyncProgress {
  /// The number of the form of the bookkeeping. A version that changes what this one relies on increases it.
  private static let format: Int64 = 1

  var json: SyncValue {
    var members: [String: SyncValue] = [
      "format": .integer(Self.format), "client": .text(client),
      "acknowledged": .integer(acknowledged),
      "cursor": SyncCoding.value(cursor), "epoch": .integer(epoch),
      "isComparing": .boolean(isComparing), "revision": .integer(revision),
      "newest": .integer(newest), "checked": .integer(checked),
      "deletions": .list(deletions.sorted().map { .integer($0) }),
      "lastPush": .object(lastPush.mapValues { SyncCoding.value($0) }),
      "lastPull": SyncCoding.value(lastPull),
    ]
    if let properties {
      members["properties"] = .object(
        properties.mapValues { names in .list(names.map { .text($0) }) })
    }
    if pushes != 0 { members["pushes"] = .integer(pushes) }
    if isCatchingUp { members["isCatchingUp"] = .boolean(true) }
    if hasCascaded { members["hasCascaded"] = .boolean(true) }
    if isRefetching { members["isRefetching"] = .boolean(true) }
    return .object(members)
  }

  /// - Throws: ``SyncError/Code/newerFormat``.
  static func checkFormat(_ json: SyncValue) throws {
    // Stores of earlier versions have no number.
    guard case .object(let members) = json, case .integer(let format) = members["format"],
      format > Self.format
    else { return }
    throw SyncError.newer("format \(format)")
  }

  init(json: SyncValue) throws {
    let members = try SyncCoding.members(json, "progress")
    try Self.checkFormat(json)
    self.init(
      client: try SyncCoding.text(members, "client"),
      acknowledged: try SyncCoding.integer(members, "acknowledged"))
    cursor = try SyncCoding.optionalText(members, "cursor")
    epoch = try SyncCoding.integer(members, "epoch")
    isComparing = try SyncCoding.flag(members, "isComparing")
    revision = try SyncCoding.integer(members, "revision")
    newest = try SyncCoding.optionalInteger(members, "newest") ?? 0
    checked = try SyncCoding.optionalInteger(members, "checked") ?? 0
    pushes = try SyncCoding.optionalInteger(members, "pushes") ?? 0
    if case .list(let versions) = members["deletions"] {
      deletions = Set(
        versions.compactMap { if case .integer(let version) = $0 { version } else { nil } })
    }
    lastPush = (try SyncCoding.values(members, "lastPush") ?? [:]).compactMapValues {
      SyncCoding.date($0)
    }
    lastPull = SyncCoding.date(members["lastPull"])
    properties = try SyncCoding.values(members, "properties")?.mapValues { names in
      guard case .list(let names) = names else { return [] }
      return names.compactMap(\.text)
    }
    isCatchingUp = members["isCatchingUp"] == .boolean(true)
    hasCascaded = members["hasCascaded"] == .boolean(true)
    isRefetching = members["isRefetching"] == .boolean(true)
  }
}

extension SyncResolution {
  var json: SyncValue {
    var members = SyncCoding.value(conflict.object)
    members["base"] = SyncCoding.value(conflict.base)
    members["local"] = SyncCoding.value(conflict.local)
    members["remote"] = SyncCoding.value(conflict.remote)
    members["properties"] = .list(conflict.properties.map { .text($0) })
    members["result"] = SyncCoding.value(result)
    members["date"] = SyncCoding.value(date)
    switch decision {
    case .server: members["decision"] = .text("server")
    case .client: members["decision"] = .text("client")
    case .values(let values): members["decision"] = .object(values)
    }
    return .object(members)
  }

  init(json: SyncValue) throws {
    let members = try SyncCoding.members(json, "resolution")
    let conflict = SyncConflict(
      object: try SyncCoding.object(members), base: try SyncCoding.values(members, "base"),
      local: try SyncCoding.values(members, "local"),
      remote: try SyncCoding.values(members, "remote"),
      properties: try SyncCoding.list(members, "properties").compactMap(\.text))
    let decision: SyncDecision =
      switch members["decision"] {
      case .object(let values): .values(values)
      case .text("client"): .client
      default: .server
      }
    self.init(
      conflict: conflict, decision: decision, result: try SyncCoding.values(members, "result"),
      date: SyncCoding.date(members["date"]))
  }
}
