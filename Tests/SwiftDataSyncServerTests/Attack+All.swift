import Foundation
import SwiftDataSync
import SyncServing

extension Attack {
  static let all =
    withoutAToken + withForgedCursors + onAnothersObjects + withBadBodies + onAttachments

  private static let anns = MemoServer.token(of: "ann")

  private static func token(_ name: String, _ authorization: String?) -> Attack {
    Attack(name: name, authorization: authorization, expected: .status(401))
  }

  // MARK: Tokens

  private static let withoutAToken: [Attack] = [
    token("no token", nil),
    token("an empty field", ""),
    token("the scheme alone", "Bearer"),
    token("the scheme and a blank", "Bearer "),
    token("another scheme", "Basic \(anns)"),
    token("no scheme", anns),
    token("a token that is cut short", "Bearer \(anns.dropLast())"),
    token("a token that is too long", "Bearer \(anns)0"),
    token("a token in other letters", "Bearer \(anns.uppercased())"),
    token("a blank before the token", "Bearer  \(anns)"),
    token("two tokens", "Bearer \(anns), \(anns)"),
    token("a user's name", "Bearer ann"),
    token("a token of 8,000 letters", "Bearer \(String(repeating: "a", count: 8_000))"),
    Attack(
      name: "a token in the query", path: "/pull?access_token=\(anns)", authorization: nil,
      expected: .status(401)),
    Attack(
      name: "a push without a token", method: "POST", path: "/push", authorization: nil,
      body: { push([change($0.target, .delete, $0.targetVersion)]) }, expected: .status(401)),
  ]

  // MARK: Cursors

  private static func cursor(
    _ name: String, _ expected: Expected, _ cursor: @escaping @Sendable (Scene) -> String
  ) -> Attack {
    Attack(name: name, cursor: cursor, expected: expected)
  }

  private static let withForgedCursors: [Attack] = [
    cursor("a cursor of the future", .status(410)) { _ in "d999999999999" },
    cursor("a negative cursor", .status(400)) { _ in "d-1" },
    cursor("a cursor beyond all numbers", .status(400)) { _ in "d9223372036854775808" },
    cursor("an empty cursor", .status(400)) { _ in "" },
    cursor("a path for a cursor", .status(400)) { _ in "../../etc/passwd" },
    cursor("SQL for a cursor", .status(400)) { _ in "d1%20OR%201=1" },
    cursor("a NUL in a cursor", .status(400)) { _ in "d1%00" },
    cursor("half a cursor", .status(400)) { _ in "f1" },
    cursor("a cursor from the beginning", .ownPage) { _ in "d0" },
    cursor("a whole comparison that nobody began", .ownPage) { _ in "f0-0" },
    cursor("another's cursor", .ownPage) { $0.annsCursor },
  ]

  // MARK: Objects

  static func push(_ changes: [SyncChange], client: String = "attacker") -> String {
    String(decoding: SyncContract.pushRequest(changes, client: client), as: UTF8.self)
  }

  static func values(
    _ key: String, owner: String = "bob", _ more: SyncValues = [:]
  ) -> SyncValues {
    let values: SyncValues = [
      "key": .text(key), "text": .text("stolen"), "owner": .text(owner), "count": .integer(1),
    ]
    return values.merging(more) { $1 }
  }

  static func change(
    _ key: String, _ content: SyncChange.Content, _ version: Int64? = nil,
    id: String = UUID().uuidString, entity: String = "Memo"
  ) -> SyncChange {
    SyncChange(
      id: id, object: SyncObjectID(entity, key), content: content, baseVersion: version)
  }

  private static func one(
    _ name: String, _ expected: Expected, _ make: @escaping @Sendable (Scene) -> SyncChange
  ) -> Attack {
    Attack(
      name: name, method: "POST", path: "/push", body: { push([make($0)]) }, expected: expected)
  }

  private static let onAnothersObjects: [Attack] = [
    one("another's object is deleted", .rejected("forbidden")) {
      change($0.target, .delete, $0.targetVersion)
    },
    one("another's object is overwritten", .rejected("forbidden")) {
      change($0.target, .put(values($0.target, owner: "ann")), $0.targetVersion)
    },
    one("another's object is made again", .rejected("forbidden")) {
      change($0.target, .put(values($0.target)))
    },
    one("another's object is taken over", .rejected("forbidden")) {
      change($0.target, .put(values($0.target)), $0.targetVersion)
    },
    one("another's key in small letters", .rejected("forbidden")) {
      change($0.target.lowercased(), .put(values($0.target.lowercased())))
    },
    one("another's object is deleted in small letters", .rejected("forbidden")) {
      change($0.target.lowercased(), .delete)
    },
    one("another's key among the values", .accepted) {
      change(UUID().uuidString, .put(values($0.target)))
    },
    one("an object in another's name", .rejected("forbidden")) { _ in
      let key = UUID().uuidString
      return change(key, .put(values(key, owner: "ann")))
    },
    one("an object is given to another", .rejected("forbidden")) {
      change($0.own, .put(values($0.own, owner: "ann")), $0.ownVersion)
    },
    one("a version that isn't the object's", .conflict) {
      change($0.own, .put(values($0.own)), .max)
    },
    Attack(
      name: "another's push is replayed", method: "POST", path: "/push",
      body: { scene in
        let values = values(scene.target, owner: "ann", ["text": .text("again")])
        return push(
          [change(scene.target, .put(values), id: scene.change)], client: scene.client)
      }, expected: .rejected("forbidden")),
    one("the id of another's change", .accepted) { scene in
      let key = UUID().uuidString
      return change(key, .put(values(key)), id: scene.change)
    },
    one("a table of the database", .rejected("unknownEntity")) { _ in
      change("1", .delete, entity: "sqlite_master")
    },
    one("a table of the books", .rejected("unknownEntity")) { _ in
      change("1", .put(["version": .integer(0)]), entity: "_syncserver_object")
    },
    one("SQL for a key", .rejected("invalid")) { _ in
      change("'; DELETE FROM Memo; --", .put(values("'; DELETE FROM Memo; --")))
    },
    one("SQL for a value", .accepted) { _ in
      let key = UUID().uuidString
      return change(key, .put(values(key, ["text": .text("'); DELETE FROM \"Memo\"; --")])))
    },
    one("a value of another type", .rejected("invalid")) { _ in
      let key = UUID().uuidString
      return change(key, .put(values(key, ["count": .text("many")])))
    },
    one("a property that isn't there", .accepted) { _ in
      let key = UUID().uuidString
      return change(key, .put(values(key, ["isAdministrator": .boolean(true)])))
    },
  ]

  // MARK: Requests

  private static func body(
    _ name: String, _ status: Int, _ body: @escaping @Sendable () -> String
  ) -> Attack {
    Attack(
      name: name, method: "POST", path: "/push", body: { _ in body() }, expected: .status(status))
  }

  private static let withBadBodies: [Attack] = [
    body("no JSON", 400) { "{" },
    body("no members", 400) { "{}" },
    body("a change without anything", 400) { #"{"client":"c","changes":[{}]}"# },
    body("a name twice", 400) { #"{"client":"c","client":"d","changes":[]}"# },
    body("a number beyond all", 400) { #"{"client":"c","changes":[1e999]}"# },
    body("100,000 levels", 400) { String(repeating: "[", count: 100_000) },
    body("two changes with one id", 400) {
      push((0..<2).map { _ in change(UUID().uuidString, .delete, id: "1") })
    },
    body("5,001 changes", 413) { push((0...5_000).map { change("\($0)", .delete) }) },
    body("more than fits", 413) {
      String(repeating: " ", count: MemoServer.maximumBody + 1)
    },
    Attack(name: "another contract", contract: "99", expected: .status(426)),
    Attack(
      name: "a method that isn't there", method: "DELETE", path: "/push", expected: .status(404)),
    Attack(
      name: "a way out of the folder", path: "/%2e%2e/%2e%2e/etc/passwd", expected: .status(404)),
  ]
}
