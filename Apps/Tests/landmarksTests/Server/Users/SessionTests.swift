import Foundation
import LandmarksKit
import LocalApp
import SwiftData
import SwiftDataSyncServer
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

@Suite("Sessions of the landmarks server", .timeLimit(.minutes(20)))
struct SessionTests {
  static let password = "correct horse"
  /// Derived once: it takes its time on purpose.
  static let kept = SyncPassword(password)

  /// A server with the users ann and bob, and alice with a token.
  private struct Place: Sendable {
    let folder: TemporaryFolder
    let file: UsersFile
    let clock = StandingClock()
    let store: ServedStore
    let signIn: SignIn

    init(limitsHere: Bool = false) throws {
      folder = try TemporaryFolder("sessions")
      file = UsersFile(folder.file("users"))
      try file.change { users in
        for name in ["ann", "bob"] { users.set(name, SessionTests.kept) }
      }
      store = try ServedStore(
        file: folder.file("server.store"), landmarks: LandmarkCatalogue.load())
      let limits = SignInLimits(
        user: .init(attempts: 3, pause: 60), address: .init(attempts: 4, pause: 60),
        now: { [clock] in clock.now })
      var signIn = SignIn(file, limits: limits, now: { [clock] in clock.now })
      signIn.trustsThisMachine = !limitsHere
      self.signIn = signIn
    }

    func serve(_ body: @escaping @Sendable (WireClient) async throws -> Void) async throws {
      let server = LandmarksServer(
        LocalServer.Settings(port: 0), store: store,
        tokens: try BearerTokens([("alice", alice)]), signIn: signIn, logger: silentLogger)
      try await withWireClient({ try await server.run(onListening: $0) }, body)
    }
  }

  private struct Opened: Decodable {
    var token: String
    var user: String
    var server: String
  }

  private static func credentials(_ user: String, _ password: String = password) -> String {
    #"{"user":"\#(user)","password":"\#(password)"}"#
  }

  private static func post(_ client: WireClient, _ body: String) async throws -> WireResponse {
    try await client.request(
      "POST", "/session", headers: [("Content-Type", "application/json")], body: body)
  }

  private static func opened(_ answer: WireResponse) throws -> Opened {
    #expect(answer.status == 201 && answer["Cache-Control"] == "no-store")
    return try JSONDecoder().decode(Opened.self, from: Data(answer.text.utf8))
  }

  @Test("a name and a password give a token for the user's data, until it is ended")
  func journey() async throws {
    let place = try Place()
    try await place.serve { client async throws in
      let opened = try Self.opened(try await Self.post(client, Self.credentials("ann")))
      #expect(opened.user == "ann" && opened.token.utf8.count == 43)
      let token = opened.token
      #expect(try await client.request("PUT", "/favorites/1002", by: token).status == 204)
      #expect(
        try await client.request("GET", "/favorites", by: token).text == #"{"favorites":[1002]}"#)
      #expect(try await client.request("GET", "/favorites", by: alice).text == #"{"favorites":[]}"#)
      let session = try await client.request("GET", "/session", by: token)
      #expect(session.status == 200)
      #expect(try session.text.contains(#""user":"ann""#))
      #expect(try session.text.contains(opened.server))
      // Another device of the user has another token.
      let other = try Self.opened(try await Self.post(client, Self.credentials("ann"))).token
      #expect(other != token)
      #expect(try await client.request("DELETE", "/session", by: token).status == 204)
      for method in ["GET", "DELETE"] {
        #expect(try await client.request(method, "/session", by: token).status == 401)
      }
      #expect(try await client.request("GET", "/favorites", by: token).status == 401)
      #expect(
        try await client.request("GET", "/favorites", by: other).text == #"{"favorites":[1002]}"#)
    }
  }

  @Test("tokens that were given to the server work as before, and aren't ended")
  func fixedTokens() async throws {
    try await Place().serve { client async throws in
      #expect(try await client.request("GET", "/session", by: alice).text.contains(#""alice""#))
      #expect(try await client.request("DELETE", "/session", by: alice).status == 403)
      #expect(try await client.request("GET", "/session", by: alice).status == 200)
    }
  }

  @Test("a wrong password and an unknown name have the same answer")
  func wrong() async throws {
    let place = try Place()
    try await place.serve { client async throws in
      var texts: Set<String> = []
      for (user, password) in [
        ("ann", "wrong horse"), ("nobody", Self.password), ("a b", Self.password), ("", ""),
        ("alice", alice), ("ANN", Self.password), ("bob", ""),
      ] {
        let answer = try await Self.post(client, Self.credentials(user, password))
        #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Bearer", "\(user)")
        texts.insert(try answer.text)
      }
      #expect(
        texts == [
          #"{"error":{"code":"wrong_password","message":"The name or the password is wrong."}}"#
        ])
    }
  }

  @Test("after some failures a name has to wait, even with the right password; others don't")
  func throttledName() async throws {
    let place = try Place()
    try await place.serve { client async throws in
      for _ in 0..<3 {
        #expect(try await Self.post(client, Self.credentials("ann", "wrong horse")).status == 401)
      }
      for password in ["wrong horse", Self.password] {
        let answer = try await Self.post(client, Self.credentials("ann", password))
        #expect(answer.status == 429 && answer["Retry-After"] == "60")
        #expect(try answer.text.contains("Try again in 60 seconds."))
      }
      _ = try Self.opened(try await Self.post(client, Self.credentials("bob")))
      place.clock.advance(60)
      _ = try Self.opened(try await Self.post(client, Self.credentials("ann")))
    }
  }

  @Test("an address has to wait, whatever the names")
  func throttledAddress() async throws {
    let place = try Place(limitsHere: true)
    try await place.serve { client async throws in
      for number in 0..<4 {
        let answer = try await Self.post(client, Self.credentials("user\(number)"))
        #expect(answer.status == 401)
      }
      let answer = try await Self.post(client, Self.credentials("ann"))
      #expect(answer.status == 429 && answer["Retry-After"] == "60")
      place.clock.advance(60)
      for _ in 0..<3 {
        _ = try Self.opened(try await Self.post(client, Self.credentials("ann")))
      }
    }
  }

  @Test("a session ends after 90 days without use")
  func expiry() async throws {
    let place = try Place()
    try await place.serve { client async throws in
      let token = try Self.opened(try await Self.post(client, Self.credentials("ann"))).token
      for _ in 0..<3 {
        place.clock.advance(89 * 86_400)
        #expect(try await client.request("GET", "/session", by: token).status == 200)
      }
      place.clock.advance(90 * 86_400 + 1)
      #expect(try await client.request("GET", "/session", by: token).status == 401)
      place.clock.advance(-86_400)
      #expect(try await client.request("GET", "/session", by: token).status == 401)
    }
  }

  @Test("sessions end when their user is removed, or gets another password")
  func removed() async throws {
    let place = try Place()
    try await place.serve { client async throws in
      let ann = try Self.opened(try await Self.post(client, Self.credentials("ann"))).token
      let bob = try Self.opened(try await Self.post(client, Self.credentials("bob"))).token
      try place.file.change { $0.remove("ann") }
      #expect(try await client.request("GET", "/favorites", by: ann).status == 401)
      #expect(try await client.request("GET", "/favorites", by: bob).status == 200)
      try place.file.change { users in
        users.set("ann", Self.kept)
        users.set("bob", .dummy)
      }
      #expect(try await client.request("GET", "/favorites", by: ann).status == 401)
      #expect(try await client.request("GET", "/favorites", by: bob).status == 401)
      #expect(try await Self.post(client, Self.credentials("bob")).status == 401)
    }
  }

  @Test("while the file of users can't be used nobody is signed in or out, and tokens work")
  func damaged() async throws {
    let place = try Place()
    try await place.serve { client async throws in
      let ann = try Self.opened(try await Self.post(client, Self.credentials("ann"))).token
      let content = try Data(contentsOf: place.file.file)
      try Data("ann secret\n".utf8).write(to: place.file.file)
      let answer = try await client.request("GET", "/favorites", by: ann)
      #expect(answer.status == 500)
      #expect(try !answer.text.contains("secret") && !answer.text.contains("users"))
      // More often than a name may fail: nothing was checked.
      for _ in 0..<4 {
        #expect(try await Self.post(client, Self.credentials("ann")).status == 500)
      }
      #expect(try await client.request("GET", "/favorites", by: alice).status == 200)
      try content.write(to: place.file.file)
      #expect(try await client.request("GET", "/favorites", by: ann).status == 200)
      #expect(try await Self.post(client, Self.credentials("ann")).status == 201)
    }
  }

  @Test("the store has digests of the tokens only, and of a user at most 100 sessions")
  func digests() async throws {
    let place = try Place()
    let credential = SyncTokens.digestText(of: Self.kept.text)
    var tokens: [String] = []
    for _ in 0..<102 {
      place.clock.advance(1)
      tokens.append(
        try await place.store.beginSession(of: "ann", credential, now: place.clock.now))
    }
    for (place_, isThere) in [(0, false), (1, false), (2, true), (101, true)] {
      let user = try await place.store.user(of: tokens[place_], now: place.clock.now) { _ in
        credential
      }
      #expect(user == (isThere ? "ann" : nil), "\(place_)")
    }
    let last = try #require(tokens.last)
    var bytes = Data()
    for path in try FileManager.default.subpathsOfDirectory(atPath: place.folder.url.path) {
      let file = place.folder.file(path)
      let kind = try file.resourceValues(forKeys: [.isRegularFileKey])
      if kind.isRegularFile == true { bytes += try Data(contentsOf: file) }
    }
    #expect(bytes.range(of: Data(SyncTokens.digestText(of: last).utf8)) != nil)
    #expect(bytes.range(of: Data(last.utf8)) == nil)
    #expect(bytes.range(of: Data(Self.password.utf8)) == nil)
  }

  @Test(
    "hostile sign-ins are refused with a reason",
    arguments: [
      ("", 400), ("{", 400), ("[]", 400), ("null", 400), (#"{"user":"ann"}"#, 400),
      (#"{"user":1,"password":"a"}"#, 400), (#"{"user":"ann","password":null}"#, 400),
      (#"{"user":"a\u0000b","password":"\ud83d\ude00"}"#, 401),
      (#"{"user":"ann","password":""# + String(repeating: "a", count: 5_000) + #""}"#, 401),
      (#"{"user":"ann","password":""# + String(repeating: "a", count: 9_000) + #""}"#, 413),
    ])
  func hostile(_ body: String, _ status: Int) async throws {
    try await Place().serve { client async throws in
      let answer = try await Self.post(client, body)
      #expect(answer.status == status)
      #expect(try answer.text.hasPrefix(#"{"error":{"code":"#))
    }
  }

  @Test("other types of content, other methods and servers without sign-in")
  func others() async throws {
    try await Place().serve { client async throws in
      for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let answer = try await client.request(
          "POST", "/session", headers: [("Content-Type", type)], body: Self.credentials("ann"))
        #expect(answer.status == 415 && answer["Access-Control-Allow-Origin"] == nil)
      }
      let answer = try await client.request("PUT", "/session", by: alice)
      #expect(answer.status == 405 && answer["Allow"] == "GET, HEAD, POST, DELETE")
      for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        #expect(try await client.request(method, "/session").status == 401)
      }
    }
    try await withServer { client async throws in
      #expect(try await Self.post(client, Self.credentials("ann")).status == 404)
    }
  }

  @Test("faults of the server hit a sign-in, too")
  func faults() async throws {
    let place = try Place()
    let server = LandmarksServer(
      LocalServer.Settings(port: 0), store: place.store, tokens: nil, signIn: place.signIn,
      faults: ServerFaults(percentage: 100, delay: .zero), logger: silentLogger)
    try await withWireClient({ try await server.run(onListening: $0) }) { client async throws in
      let answer = try await Self.post(client, Self.credentials("ann"))
      #expect(answer.status == 503 && answer["Retry-After"] == "1")
    }
  }
}
