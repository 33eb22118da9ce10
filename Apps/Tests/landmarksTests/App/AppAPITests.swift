import Foundation
import LandmarksKit
import SwiftData
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

/// A model of a later version.
private enum Later {
  @Model
  final class StoredOwner {
    var user: String
    var server: String?
    var picture: String?

    init() { user = "ann" }
  }
}

@Suite("The page's API, without any server", .timeLimit(.minutes(20)))
struct AppAPITests {
  private let own = [("X-Requested-With", "landmarks")]
  private let id = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"

  private func milliseconds(_ days: Double) -> Int {
    Int(Date().addingTimeInterval(days * 86_400).timeIntervalSince1970 * 1_000)
  }

  @Test("favorites and reservations are stored at once and wait for the server")
  func offline() async throws {
    let store = try deviceStore()
    let date = milliseconds(30)
    try await withApp(store) { client async throws in
      let marked = try await client.request("PUT", "/api/favorites/1002", headers: own)
      #expect(try marked.status == 200 && marked.text.contains(#""pending":1"#))
      let made = try await client.request(
        "PUT", "/api/reservations/\(id)", headers: own,
        body: #"{"landmarkID":1002,"date":\#(date)}"#)
      #expect(try made.status == 200 && made.text.contains(#""pending":2"#))
      let state = try await client.request("GET", "/api/state").text
      #expect(state.contains(#""id":"\#(id)","landmarkID":1002"#))
      #expect(state.contains(#""status":"confirmed","isWaiting":true"#))
      let cancelled = try await client.request(
        "POST", "/api/reservations/\(id)/cancel", headers: own)
      #expect(cancelled.status == 200)
      #expect(try store.reservations().map(\.status) == [.cancelled])
      let moved = try await client.request(
        "PUT", "/api/reservations/\(id)", headers: own, body: #"{"date":\#(date + 86_400_000)}"#)
      #expect(try moved.status == 200 && store.reservations().map(\.status) == [.confirmed])
      let removed = try await client.request("DELETE", "/api/reservations/\(id)", headers: own)
      #expect(try removed.status == 200 && store.reservations().isEmpty)
      let unmarked = try await client.request("DELETE", "/api/favorites/1002", headers: own)
      #expect(try unmarked.status == 200 && store.landmark(1002)?.isFavorite == false)
    }
  }

  @Test("a store that another version migrates is told, and edits of the page wait")
  func migratedMeanwhile() async throws {
    let place = try TemporaryFolder()
    let file = place.file("a.store")
    let store = try deviceStore(file)
    try await withApp(store) { client async throws in
      #expect(try await client.request("GET", "/api/state").status == 200)
      _ = try ModelContainer(
        for: Later.StoredOwner.self, configurations: ModelConfiguration(url: file))
      let told = try await client.request("PUT", "/api/favorites/1002", headers: own)
      #expect(told.status == 503 && told.head.lowercased().contains("retry-after: 30"))
      #expect(try told.text.contains(#""code":"store_changed""#))
      #expect(try told.text.contains("start Landmarks again, in that version"), "\(told)")
    }
  }

  @Test("the age of an edit is a number of seconds")
  func age() async throws {
    try await withApp(deviceStore()) { client async throws in
      for (age, status) in [("5", 200), ("-5", 400), ("soon", 400), ("", 400)] {
        let key = "01900000-0000-7000-8000-00000000000\(status == 200 ? 1 : 2)"
        let answer = try await client.request(
          "PUT", "/api/favorites/1002",
          headers: own + [("Idempotency-Key", key), ("Landmarks-Age", age)])
        #expect(answer.status == status, "\(age)")
      }
    }
  }

  @Test(
    "a note is stored with its visit, merged with one from elsewhere, and refused with a reason")
  func notes() async throws {
    let store = try deviceStore()
    let (target, date) = ("/api/reservations/\(id)", milliseconds(30))
    try await withApp(store) { client async throws in
      func put(_ target: String, _ body: String) async throws -> WireResponse {
        try await client.request("PUT", target, headers: own, body: body)
      }
      let made = try await put(
        target, #"{"landmarkID":1002,"date":\#(date),"note":"Water\n<b>Tent</b>"}"#)
      #expect(made.status == 200)
      let state = try await client.request("GET", "/api/state").text
      #expect(state.contains(#""note":"Water\u000a<b>Tent</b>","status":"confirmed""#))
      let uuid = try #require(UUID(uuidString: id))
      try store.setNote(uuid, "Water\n<b>Tent</b>\nTickets")
      let merged = try await put(
        target + "/note", #"{"note":"Water, 2 l\n<b>Tent</b>","base":"Water\n<b>Tent</b>"}"#)
      #expect(try merged.status == 200 && merged.text.contains(#""pending":1"#))
      #expect(try store.reservation(uuid)?.note == "Water, 2 l\n<b>Tent</b>\nTickets")
      #expect(try await put(target + "/note", #"{"note":""}"#).status == 200)
      #expect(try store.reservation(uuid)?.note == "")
      // A note as long as allowed, in characters that take the most bytes.
      let longest = String(repeating: "\u{FFFD}", count: 2_000)
      #expect(try await put(target + "/note", #"{"note":"\#(longest)"}"#).status == 200)
      let long = try await put(target + "/note", #"{"note":"\#(longest + longest)"}"#)
      #expect(try long.status == 422 && long.text.contains("A note has at most 2000 characters"))
      for body in [
        "", "null", "[]", "{}", #"{"note":null}"#, #"{"note":1}"#, #"{"note":"a","base":1}"#,
      ] {
        #expect(try await put(target + "/note", body).status == 400, "\(body)")
      }
      let large = #"{"note":"\#(String(repeating: "a", count: 70_000))"}"#
      #expect(try await put(target + "/note", large).status == 413)
      let other = "/api/reservations/\(UUID().uuidString)/note"
      #expect(try await put(other, #"{"note":"a"}"#).status == 404)
      #expect(try store.reservation(uuid)?.note == longest)
    }
  }

  @Test("no change is made without the header that other sites cannot send")
  func ownPage() async throws {
    let store = try deviceStore()
    try await withApp(store) { client async throws in
      for (method, target) in [
        ("PUT", "/api/favorites/1002"), ("DELETE", "/api/favorites/1002"),
        ("PUT", "/api/reservations/\(id)"), ("DELETE", "/api/reservations/\(id)"),
        ("POST", "/api/reservations/\(id)/cancel"), ("PUT", "/api/reservations/\(id)/note"),
        ("DELETE", "/api/notices/\(id)"), ("POST", "/api/sync"), ("PUT", "/api/offline"),
        ("DELETE", "/api/offline"),
      ] {
        #expect(try await client.request(method, target).status == 403, "\(target)")
        let other = [("X-Requested-With", "quakes")]
        #expect(try await client.request(method, target, headers: other).status == 403)
      }
      #expect(try store.landmarks(LandmarkQuery(favoritesOnly: true)).isEmpty)
    }
  }

  /// The header fields of an edit with a key.
  private func keyed(_ number: Int, store: String? = nil) -> [(String, String)] {
    let time = String(Int(Date().timeIntervalSince1970 * 1_000), radix: 16)
    let digits = String(repeating: "0", count: 12 - time.count) + time
    let last = String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
    let key = "\(digits.prefix(8))-\(digits.suffix(4))-7000-8000-\(last)"
    return own + [("Idempotency-Key", key)] + (store.map { [("Landmarks-Store", $0)] } ?? [])
  }

  @Test("a request that is delivered again changes nothing, even at the same time")
  func repeated() async throws {
    let store = try deviceStore()
    let (on, off) = (keyed(1), keyed(2))
    try await withApp(store) { client async throws in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try await client.request("PUT", "/api/favorites/1002", headers: on).status
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(try store.landmark(1002)?.isFavorite == true)
      let target = "/api/favorites/1002"
      #expect(try await client.request("DELETE", target, headers: off).status == 200)
      #expect(try await client.request("PUT", target, headers: on).status == 200)
      #expect(try store.landmark(1002)?.isFavorite == false)
      #expect(try await client.request("PUT", target, headers: own).status == 200)
      #expect(try store.landmark(1002)?.isFavorite == true)
    }
  }

  @Test("dismissals of a notice have keys, too")
  func dismissals() async throws {
    let store = try deviceStore()
    let fields = keyed(1)
    try await withApp(store) { client async throws in
      for _ in 0..<2 {
        let answer = try await client.request("DELETE", "/api/notices/\(id)", headers: fields)
        #expect(answer.status == 200)
      }
      for (query, status) in [
        ("made=1893456000000", 200), ("made=-62135769600000", 200), ("made=x", 400),
        ("made=1e15", 400), ("before=1", 400),
      ] {
        let target = "/api/notices/\(id)?\(query)"
        #expect(try await client.request("DELETE", target, headers: own).status == status)
      }
    }
  }

  @Test("an edit for another store, or with a key that is none, isn't made")
  func otherStore() async throws {
    let store = try deviceStore()
    let identifier = try #require(try store.identifier())
    try await withApp(store) { client async throws in
      let config = try await client.request("GET", "/api/config").text
      #expect(config.contains(#""store":"\#(identifier)""#))
      #expect(try await client.request("GET", "/api/state").text.contains(identifier))
      let target = "/api/favorites/1002"
      let other = try await client.request("PUT", target, headers: keyed(1, store: "other"))
      #expect(try other.status == 409 && other.text.contains("other_store"))
      for key in ["1", "\(UUID())", String(repeating: "x", count: 36)] {
        let fields = own + [("Idempotency-Key", key)]
        #expect(try await client.request("PUT", target, headers: fields).status == 400)
      }
      let old = own + [("Idempotency-Key", "00000000-0000-7000-8000-000000000001")]
      #expect(try await client.request("PUT", target, headers: old).status == 422)
      #expect(try store.landmark(1002)?.isFavorite == false)
      let fields = keyed(1, store: identifier)
      #expect(try await client.request("PUT", target, headers: fields).status == 200)
      #expect(try store.landmark(1002)?.isFavorite == true)
    }
  }

  @Test("another name than this machine's is refused, and every answer has the security headers")
  func hosts() async throws {
    try await withApp(try deviceStore()) { client async throws in
      #expect(try await client.request("GET", "/api/state", host: "evil.example").status == 421)
      for target in ["/", "/app.css", "/base.css", "/js/theme.js", "/api/state", "/nowhere"] {
        let answer = try await client.request("GET", target)
        #expect(answer["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(answer["X-Content-Type-Options"] == "nosniff")
        #expect(answer.status == (target == "/nowhere" ? 404 : 200), "\(target)")
      }
    }
  }

  @Test("dates out of range, unknown landmarks and broken requests are refused with a reason")
  func refusals() async throws {
    let store = try deviceStore()
    try await withApp(store) { client async throws in
      for (body, status) in [
        (#"{"landmarkID":1002,"date":0}"#, 422), (#"{"landmarkID":1002,"date":1e13}"#, 422),
        (#"{"landmarkID":1002,"date":1e300}"#, 422),
        (#"{"landmarkID":7,"date":\#(milliseconds(3))}"#, 404),
        (#"{"date":\#(milliseconds(3))}"#, 404), ("{", 400), (#"{"landmarkID":"x"}"#, 400),
        (String(repeating: " ", count: 70_000), 413),
      ] {
        let answer = try await client.request(
          "PUT", "/api/reservations/\(id)", headers: own, body: body)
        #expect(answer.status == status, "\(body.prefix(60))")
      }
      for target in [
        "/api/", "/api/nowhere", "/api/favorites/x", "/api/favorites/9999999999999999999999",
        "/api/reservations/1", "/api/a/b/c/d", "/api/reservations/\(id)/other",
      ] {
        #expect(try await client.request("PUT", target, headers: own).status == 404, "\(target)")
      }
      #expect(try await client.request("GET", "/api/state?x=1").status == 400)
      #expect(
        try await client.request("DELETE", "/api/state", headers: own)["Allow"] == "GET, HEAD")
      #expect(try store.reservations().isEmpty)
    }
  }

  @Test("pages are notified of another program's change to the store, and the server gets it")
  func otherPrograms() async throws {
    let store = try deviceStore()
    try await withServer { server in
      try await withApp(store, server: server.address, token: alice) { client in
        try await client.connected { connection in
          try await connection.send("GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
          _ = try await connection.read(through: #""state":"synced""#)
          try store.setFavorite(1002, true)
          // Messages from before the edit may still arrive.
          repeat {
            _ = try await connection.read(through: #""pending":0"#)
          } while try await !server.request("GET", "/favorites", by: alice).text.contains("1002")
        }
      }
    }
  }
}
