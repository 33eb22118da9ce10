import Foundation
import LandmarksKit
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

@Suite("The landmarks server", .timeLimit(.minutes(20)))
struct ServerTests {
  private let body = #"{"landmarkID":1002,"date":"2030-06-01T12:00:00Z","status":"confirmed"}"#
  private let moved = #"{"landmarkID":1002,"date":"2030-06-02T12:00:00Z","status":"confirmed"}"#
  private let path = "/reservations/6F9619FF-8B86-D011-B42D-00CF4FC964FF"

  @Test("landmarks are one conditional document, and each has an address")
  func landmarks() async throws {
    try await withServer { client async throws in
      let all = try await client.request("GET", "/landmarks", by: alice)
      #expect(all.status == 200)
      let decoded = try JSONDecoder.landmarks.decode(
        [Landmark].self, from: Data(all.text.utf8))
      #expect(decoded == (try LandmarkCatalogue.load()))
      let tag = try #require(all["ETag"])
      let again = try await client.request("GET", "/landmarks", by: bob, [("If-None-Match", tag)])
      #expect(again.status == 304 && again.body.isEmpty)
      let one = try await client.request("GET", "/landmarks/1002", by: alice)
      #expect(try one.text.contains(#""name":"El Capitan""#))
      #expect(try await client.request("GET", "/landmarks/9", by: alice).status == 404)
    }
  }

  @Test("favorites belong to their user, and setting them twice is setting them once")
  func favorites() async throws {
    try await withServer { client async throws in
      for _ in 0..<2 {
        #expect(try await client.request("PUT", "/favorites/1002", by: alice).status == 204)
      }
      #expect(
        try await client.request("GET", "/favorites", by: alice).text == #"{"favorites":[1002]}"#)
      #expect(try await client.request("GET", "/favorites", by: bob).text == #"{"favorites":[]}"#)
      #expect(try await client.request("DELETE", "/favorites/1002", by: bob).status == 204)
      #expect(
        try await client.request("GET", "/favorites", by: alice).text == #"{"favorites":[1002]}"#)
      #expect(try await client.request("PUT", "/favorites/9", by: alice).status == 404)
    }
  }

  @Test("a reservation is made, changed on condition of its revision, and removed")
  func reservation() async throws {
    try await withServer { client async throws in
      let absent = [("If-None-Match", "*")]
      let made = try await client.request("PUT", path, by: alice, absent, body: body)
      #expect(made.status == 201 && made["ETag"] == "\"1\"")
      let repeated = try await client.request("PUT", path, by: alice, absent, body: body)
      #expect(repeated.status == 200 && repeated["ETag"] == "\"1\"", "a lost answer does no harm")
      let taken = try await client.request("PUT", path, by: alice, absent, body: moved)
      #expect(taken.status == 412)
      let old = [("If-Match", "\"7\"")]
      #expect(try await client.request("PUT", path, by: alice, old, body: moved).status == 412)
      #expect(try await client.request("DELETE", path, by: alice, old).status == 412)
      let right = [("If-Match", "\"1\"")]
      let changed = try await client.request("PUT", path, by: alice, right, body: moved)
      #expect(changed.status == 200 && changed["ETag"] == "\"2\"")
      let read = try await client.request("GET", path, by: alice)
      #expect(try read.text.contains("2030-06-02T12:00:00Z") && read["ETag"] == "\"2\"")
      #expect(
        try await client.request("DELETE", path, by: alice, [("If-Match", "\"2\"")]).status == 204)
      #expect(try await client.request("DELETE", path, by: alice).status == 204)
      #expect(try await client.request("GET", path, by: alice).status == 404)
      let anew = try await client.request("PUT", path, by: alice, absent, body: body)
      #expect(anew["ETag"] == "\"3\"", "no revision is given twice")
    }
  }

  @Test("a user sees and changes only their own reservations")
  func scope() async throws {
    try await withServer { client async throws in
      #expect(try await client.request("PUT", path, by: alice, body: body).status == 201)
      #expect(try await client.request("GET", path, by: bob).status == 404)
      #expect(try await client.request("GET", "/reservations", by: bob).text == "[]")
      #expect(try await client.request("DELETE", path, by: bob).status == 204)
      #expect(try await client.request("PUT", path, by: bob, body: moved).status == 201)
      #expect(try await client.request("GET", path, by: alice).text.contains("2030-06-01"))
    }
  }

  @Test("without the right token every address answers 401, and all in the same way")
  func unauthorized() async throws {
    try await withServer { client async throws in
      let fields: [String?] = [
        nil, "Bearer", "Bearer ", "Bearer wrong-token-wrong-token", "Basic \(alice)", alice,
        "Bearer \(alice)x", "Bearer \(alice.dropLast())", "Bearer  \(alice)", "Bearer \(alice) x",
        "Bearer " + String(repeating: "a", count: 4_000),
      ]
      var bodies: Set<String> = []
      for field in fields {
        for target in ["/landmarks", "/reservations", path, "/nowhere", "/%zz"] {
          let headers = field.map { [("Authorization", $0)] } ?? []
          let answer = try await client.request("GET", target, headers: headers)
          #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Bearer", "\(target)")
          bodies.insert(try answer.text)
        }
      }
      #expect(bodies.count == 1)
    }
  }

  @Test(
    "hostile bodies are refused with a reason, and nothing is stored",
    arguments: [
      ("", 400), ("{", 400), ("[]", 400), ("null", 400), (#"{"landmarkID":1002}"#, 400),
      (#"{"landmarkID":"1002","date":"2030-06-01T12:00:00Z","status":"confirmed"}"#, 400),
      (#"{"landmarkID":1002,"date":"tomorrow","status":"confirmed"}"#, 400),
      (#"{"landmarkID":1e400,"date":"2030-06-01T12:00:00Z","status":"confirmed"}"#, 400),
      (#"{"landmarkID":1002,"date":"2030-06-01T12:00:00Z","status":"paid"}"#, 422),
      (#"{"landmarkID":1002,"date":"1830-06-01T12:00:00Z","status":"confirmed"}"#, 422),
      (#"{"landmarkID":1002,"date":"1999-12-31T23:59:59Z","status":"confirmed"}"#, 422),
      (#"{"landmarkID":1002,"date":"2100-01-01T00:00:01Z","status":"confirmed"}"#, 422),
      (#"{"landmarkID":7,"date":"2030-06-01T12:00:00Z","status":"confirmed"}"#, 422),
    ])
  func hostileBodies(_ text: String, _ status: Int) async throws {
    try await withServer { client async throws in
      let answer = try await client.request("PUT", path, by: alice, body: text)
      #expect(answer.status == status, "\(text)")
      #expect(try answer.text.hasPrefix(#"{"error":{"code":"#))
      #expect(try await client.request("GET", "/reservations", by: alice).text == "[]")
    }
  }

  @Test("large bodies, other types, odd identifiers, targets and methods are refused")
  func hostileRequests() async throws {
    try await withServer { client async throws in
      let large = #"{"pad":""# + String(repeating: "a", count: 70_000) + #""}"#
      #expect(try await client.request("PUT", path, by: alice, body: large).status == 413)
      let untyped = try await client.request(
        "PUT", path, headers: [("Authorization", "Bearer \(alice)")], body: body)
      #expect(untyped.status == 415)
      for target in [
        "/reservations/1", "/reservations/", "/reservations/%2e%2e", "/landmarks/-1",
        "/landmarks/99999999999999999999", "/favorites/1002/x", "/", "//", "/landmarks/",
      ] {
        #expect(try await client.request("GET", target, by: alice).status / 100 == 4, "\(target)")
      }
      #expect(try await client.request("GET", "/landmarks?x=1", by: alice).status == 400)
      let long = "/landmarks/" + String(repeating: "1", count: 5_000)
      #expect(try await client.request("GET", long, by: alice).status == 414)
      for (target, allowed) in [
        ("/landmarks", "GET, HEAD"), ("/favorites", "GET, HEAD"),
        ("/favorites/1002", "PUT, DELETE"),
        ("/reservations", "GET, HEAD"), (path, "GET, HEAD, PUT, DELETE"),
      ] {
        let answer = try await client.request("PATCH", target, by: alice)
        #expect(answer.status == 405 && answer["Allow"] == allowed)
      }
      let both = [("If-Match", "\"1\""), ("If-None-Match", "*")]
      #expect(try await client.request("PUT", path, by: alice, both, body: body).status == 400)
    }
  }

  @Test("tokens are read from a file with a name each; bad ones are refused without being shown")
  func tokenFile() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("tokens", "# users\nalice \(alice)\n\nbob\t\(bob)\n")
    let tokens = try BearerTokens(file: file)
    #expect(tokens.user("Bearer \(alice)") == "alice")
    #expect(tokens.user("bearer \(bob)") == "bob")
    try Data("# users\r\nalice \(alice)\r\n\r\nbob \(bob)\r\n".utf8).write(to: file)
    let others = try BearerTokens(file: file)
    #expect(others.user("Bearer \(alice)") == "alice" && others.user("Bearer \(bob)") == "bob")
    let name = #expect(throws: LandmarksError.self) {
      try BearerTokens([(String(repeating: "a", count: 101), alice)])
    }
    #expect(name?.description.contains("name of a user") == true)
    #expect(name?.description.contains("ASCII") == false)
    for text in [
      "", "alice short", "alice \(alice) more", "alice \(alice)\nbob \(alice)",
      "alice nöt-äscii-0123456789", alice,
    ] {
      try Data(text.utf8).write(to: file)
      let error = #expect(throws: LandmarksError.self) { try BearerTokens(file: file) }
      #expect(error?.description.contains(alice) == false)
    }
    #expect(throws: LandmarksError.self) {
      try BearerTokens(file: folder.file("none"))
    }
  }
}
