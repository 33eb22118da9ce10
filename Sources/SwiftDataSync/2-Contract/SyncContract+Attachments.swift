/// Encodes and decodes the contract's documents about attachments.
extension SyncContract {
  package static func missingRequest(
    _ references: [SyncAttachmentReference], client: String
  ) -> [UInt8] {
    let list = references.map { reference in
      var members = SyncCoding.value(reference.object)
      members["property"] = .text(reference.property)
      members["sha256"] = .text(reference.attachment.sha256)
      members["size"] = .integer(Int64(reference.attachment.byteCount))
      return SyncValue.object(members)
    }
    return SyncValue.object(["client": .text(client), "attachments": .list(list)]).json
  }

  /// - Throws: ``SyncFailure`` of the kind `refused`.
  package static func parseMissingRequest(
    _ bytes: some Sequence<UInt8>
  ) throws -> [SyncAttachmentReference] {
    try parse(.refused) {
      let members = try SyncCoding.members(try SyncJSON.parse(bytes), "request")
      return try SyncCoding.list(members, "attachments").map { element in
        let members = try SyncCoding.members(element, "attachment")
        guard
          let attachment = SyncAttachment(
            sha256: try SyncCoding.text(members, "sha256"),
            byteCount: Int(try SyncCoding.integer(members, "size")))
        else { throw SyncCoding.Missing(member: "sha256") }
        return SyncAttachmentReference(
          try SyncCoding.object(members), try SyncCoding.text(members, "property"), attachment)
      }
    }
  }

  package static func missingAnswer(_ missing: [SyncAttachment: Int]) -> [UInt8] {
    let list = missing.sorted { $0.key.sha256 < $1.key.sha256 }.map { attachment, offset in
      SyncValue.object([
        "sha256": .text(attachment.sha256), "offset": .integer(Int64(offset)),
      ])
    }
    return SyncValue.object(["missing": .list(list)]).json
  }

  /// - Returns: The number of bytes that the server has of each attachment that it lacks, by
  ///   SHA-256.
  /// - Throws: ``SyncFailure`` of the kind `server`.
  package static func parseMissingAnswer(_ bytes: some Sequence<UInt8>) throws -> [String: Int] {
    try parse(.server) {
      let members = try SyncCoding.members(try SyncJSON.parse(bytes), "answer")
      var missing: [String: Int] = [:]
      for element in try SyncCoding.list(members, "missing") {
        let members = try SyncCoding.members(element, "attachment")
        missing[try SyncCoding.text(members, "sha256")] = Int(
          try SyncCoding.integer(members, "offset"))
      }
      return missing
    }
  }

  package static func uploadAnswer(_ offset: Int) -> [UInt8] {
    SyncValue.object(["offset": .integer(Int64(offset))]).json
  }

  /// - Throws: ``SyncFailure`` of the kind `server`.
  package static func parseUploadAnswer(_ bytes: some Sequence<UInt8>) throws -> Int {
    try parse(.server) {
      let members = try SyncCoding.members(try SyncJSON.parse(bytes), "answer")
      return Int(try SyncCoding.integer(members, "offset"))
    }
  }
}
