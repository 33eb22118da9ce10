import SwiftDataSync
import Testing
import WireFormats

/// Pages as received from the network.
@Suite struct SyncPageReadingTests {
  private func parse(_ text: String) throws -> SyncPage { try SyncPage.parse(Array(text.utf8)) }

  @Test func membersComeInAnyOrderAndOthersAreLeftOut() throws {
    let page = try parse(
      """
      {"later": [1, {"a": null}], "hasMore": true, "cursor": "c1", "changes": [
        {"values": {"b": [true], "a": 1.5}, "version": 7, "key": "k\\n", "entity": "E", "new": {}},
        {"deleted": true, "values": null, "entity": "E", "key": "2", "version": -1}]}
      """)
    let kept = SyncRemote(
      object: SyncObjectID("E", "k\n"), version: 7,
      values: ["a": .real(1.5), "b": .list([.boolean(true)])])
    let gone = SyncRemote(object: SyncObjectID("E", "2"), version: -1, values: nil)
    #expect(page == SyncPage(changes: [kept, gone], cursor: "c1", hasMore: true))
  }

  @Test(arguments: [
    "[]", "{}", "{\"changes\":{},\"cursor\":\"\"}", "{\"changes\":[]}",
    "{\"changes\":[],\"cursor\":1}", "{\"changes\":[1],\"cursor\":\"\"}",
    "{\"changes\":[{\"entity\":\"E\",\"key\":\"1\",\"version\":1}],\"cursor\":\"\"}",
    "{\"changes\":[{\"entity\":\"E\",\"key\":1,\"version\":1,\"values\":{}}],\"cursor\":\"\"}",
    "{\"changes\":[{\"entity\":\"E\",\"key\":\"1\",\"version\":1.5,\"values\":{}}],\"cursor\":\"\"}",
    "{\"changes\":[{\"entity\":\"E\",\"key\":\"1\",\"version\":1,\"values\":[]}],\"cursor\":\"\"}",
    "{\"changes\":[{\"entity\":\"E\",\"key\":\"1\",\"version\":1,\"values\":{},\"deleted\":true}],"
      + "\"cursor\":\"\"}",
  ])
  func whatIsNoPageIsRefused(_ text: String) {
    #expect(throws: SyncCoding.Missing.self) { try parse(text) }
  }

  @Test(arguments: [
    "", "{\"changes\":[]", "{\"changes\":[],\"changes\":[],\"cursor\":\"\"}",
    "{\"changes\":[],\"cursor\":\"\",\"cursor\":\"\"}", "{\"changes\":[,],\"cursor\":\"\"}",
    "{\"changes\":[],\"cursor\":\"\"} 1", "{\"changes\" []}",
    "{\"changes\":[{\"entity\":\"E\",\"entity\":\"E\",\"key\":\"1\",\"version\":1,\"values\":{}}],"
      + "\"cursor\":\"\"}",
    "{\"changes\":[{\"entity\":\"E\",\"key\":\"1\",\"version\":1,\"values\":{\"a\":1,\"a\":1}}],"
      + "\"cursor\":\"\"}",
    "{\"changes\":[],\"cursor\":\"\",\"x\":" + String(repeating: "[", count: 65) + "}",
  ])
  func whatIsNoJSONIsRefused(_ text: String) {
    #expect(throws: JSONError.self) { try parse(text) }
  }
}
