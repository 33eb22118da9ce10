import WireFormats

/// Encodes and decodes the contract's documents (docs/openapi-sync.yaml).
package enum SyncContract {
  /// The version that both sides send in `Sync-Contract`.
  package static let version = "1"

  package static func pushRequest(_ changes: [SyncChange], client: String) -> [UInt8] {
    SyncValue.object(["client": .text(client), "changes": .list(changes.map(\.json))]).json
  }

  /// - Throws: ``SyncFailure`` of the kind `refused`.
  package static func parsePushRequest(
    _ bytes: some Sequence<UInt8>
  ) throws -> (client: String, changes: [SyncChange]) {
    try parse(.refused) {
      let members = try SyncCoding.members(try SyncJSON.parse(bytes), "request")
      return (
        try SyncCoding.text(members, "client"),
        try SyncCoding.list(members, "changes").map { try SyncChange(json: $0) }
      )
    }
  }

  package static func pushAnswer(_ outcomes: [String: SyncOutcome]) -> [UInt8] {
    let results = outcomes.sorted { $0.key < $1.key }.map { $0.value.json(id: $0.key) }
    return SyncValue.object(["results": .list(results)]).json
  }

  /// - Throws: ``SyncFailure`` of the kind `server`.
  package static func parsePushAnswer(
    _ bytes: some Sequence<UInt8>
  ) throws -> [String: SyncOutcome] {
    try parse(.server) {
      let members = try SyncCoding.members(try SyncJSON.parse(bytes), "answer")
      var outcomes: [String: SyncOutcome] = [:]
      for result in try SyncCoding.list(members, "results") {
        let (id, outcome) = try SyncOutcome.parse(result)
        outcomes[id] = outcome
      }
      return outcomes
    }
  }

  package static func page(_ page: SyncPage) -> [UInt8] { page.json.json }

  /// - Throws: ``SyncFailure`` of the kind `server`.
  package static func parsePage(_ bytes: some Sequence<UInt8>) throws -> SyncPage {
    try parse(.server) { try SyncPage.parse(bytes) }
  }

  static func parse<Result>(
    _ kind: SyncFailure.Kind, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as JSONError {
      throw SyncFailure(kind, "The other side sent \(error)")
    } catch let error as SyncCoding.Missing {
      throw SyncFailure(kind, "The other side sent something else than agreed: \(error)")
    }
  }
}
