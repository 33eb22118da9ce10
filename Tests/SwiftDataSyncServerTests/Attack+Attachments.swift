import Foundation
import SwiftDataSync
import SyncServing

extension Attack {
  private static func get(
    _ name: String, _ status: Int, _ query: @escaping @Sendable (Scene) -> String
  ) -> Attack {
    Attack(name: name, target: { "/attachments?" + query($0) }, expected: .status(status))
  }

  private static func query(
    _ scene: Scene, entity: String = "Memo", key: String? = nil, property: String = "scan",
    sha256: String? = nil
  ) -> String {
    "entity=\(entity)&key=\(key ?? scene.target)&property=\(property)"
      + "&sha256=\(sha256 ?? scene.scan.sha256)&size=\(scene.scan.byteCount)"
  }

  private static func patch(
    _ name: String, _ status: Int, _ offset: String? = "0", bytes: Int = 1,
    _ target: @escaping @Sendable (Scene) -> String
  ) -> Attack {
    Attack(
      name: name, method: "PATCH", body: { _ in String(repeating: "a", count: bytes) },
      target: { "/attachments/" + target($0) }, fields: offset.map { ["upload-offset": $0] } ?? [:],
      expected: .status(status))
  }

  private static let name = String(repeating: "ab", count: 32)

  /// Bob knows the name of ann's bytes, and tries to read them or to do damage.
  static let onAttachments: [Attack] = [
    get("another's attachment", 404) { query($0) },
    get("another's attachment in small letters", 404) { query($0, key: $0.target.lowercased()) },
    get("another's attachment at an object of one's own", 404) { query($0, key: $0.own) },
    get("another property for an attachment", 404) { query($0, property: "text") },
    get("a table of the books for an attachment", 404) {
      query($0, entity: "_syncserver_object", property: "scope")
    },
    get("SQL for a property", 404) { query($0, property: "scan%22%20FROM%20Memo%20--") },
    get("a path for an attachment", 400) { query($0, sha256: "../../../../etc/passwd") },
    get("an attachment without a name", 400) { "entity=Memo&key=\($0.target)&property=scan" },
    get("an attachment without an object", 400) { "sha256=\($0.scan.sha256)&size=24000" },
    Attack(
      name: "an attachment without a token", authorization: nil,
      target: { "/attachments?" + query($0) }, expected: .status(401)),
    patch("a path for the name of what is sent", 404) { _ in "../../../../tmp/a?size=20000" },
    patch("an escaped path for the name of what is sent", 400) { _ in
      "%2e%2e%2f%2e%2e%2ftmp%2fa?size=20000"
    },
    patch("what is sent has no size", 400) { _ in name },
    patch("what is sent has a negative size", 400) { _ in "\(name)?size=-1" },
    patch("what is sent is too large", 413) { _ in "\(name)?size=9000000000000" },
    patch("what is sent begins nowhere", 400, nil) { _ in "\(name)?size=20000" },
    patch("what is sent begins before the beginning", 400, "-1") { _ in "\(name)?size=20000" },
    patch("what is sent begins behind the end", 409, "20001") { _ in "\(name)?size=20000" },
    patch("what is sent begins at the end of all numbers", 409, "9223372036854775805", bytes: 3) {
      _ in "\(name)?size=20000"
    },
    patch("more is sent than there is", 409, bytes: 20_001) { _ in "\(name)?size=20000" },
    patch("a portion that is too large", 413, bytes: MemoServer.maximumBody + 1) { _ in
      "\(name)?size=200000000"
    },
    Attack(
      name: "a portion without a token", method: "PATCH", authorization: nil,
      body: { _ in "a" }, target: { _ in "/attachments/\(name)?size=20000" },
      fields: ["upload-offset": "0"], expected: .status(401)),
    Attack(
      name: "another's bytes are said to be one's own", method: "POST", path: "/push",
      body: { scene in
        let key = UUID().uuidString
        return push([change(key, .put(values(key, ["scan": scene.scan.value])))])
      }, expected: .unanswered),
    Attack(
      name: "another's bytes for one's own object", method: "POST", path: "/push",
      body: { scene in
        push([
          change(scene.own, .put(values(scene.own, ["scan": scene.scan.value])), scene.ownVersion)
        ])
      }, expected: .unanswered),
    Attack(
      name: "a question about nothing", method: "POST", path: "/attachments/missing",
      body: { _ in "{}" }, expected: .status(400)),
    Attack(
      name: "a question about a path", method: "POST", path: "/attachments/missing",
      body: {
        #"{"attachments":[{"entity":"Memo","key":"\#($0.own)","property":"scan","sha256":"../a","size":20000}]}"#
      }, expected: .status(400)),
  ]
}
