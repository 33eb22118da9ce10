import Foundation
import LandmarksKit
import LocalApp
import SwiftDataSyncServer
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

@Suite("Signing in and out on a device", .timeLimit(.minutes(20)))
struct AccountTests {
  private static let own = [
    ("X-Requested-With", "landmarks"), ("Content-Type", "application/json"),
  ]
  private static let ann = #"{"user":"ann","password":"correct horse"}"#

  /// A folder with the files of a server and of a device.
  private struct Place: Sendable {
    let folder: TemporaryFolder
    let users: UsersFile
    let store: ServedStore

    init() throws {
      folder = try TemporaryFolder("account")
      users = UsersFile(folder.file("users"))
      try users.change { users in
        for name in ["ann", "bob"] { users.set(name, SessionTests.kept) }
      }
      store = try ServedStore(
        file: folder.file("server.store"), landmarks: LandmarkCatalogue.load())
    }

    /// Runs the server, and the page's program with a store in a file.
    func run(
      _ body: @escaping @Sendable (_ app: WireClient, _ server: WireClient) async throws -> Void
    ) async throws {
      try await withServer(store: store, signIn: SignIn(users)) { server async throws in
        let device = try LandmarkStore(file: file)
        try await withApp(device, server: server.address) { app async throws in
          try await body(app, server)
        }
      }
    }

    var file: URL { folder.file("app.store") }
    var session: SessionFile { SessionFile(besides: file) }
  }

  /// Waits until the status of a page has a text.
  private static func wait(_ app: WireClient, _ text: String) async throws {
    while true {
      try Task.checkCancellation()
      if try await app.request("GET", "/api/status").text.contains(text) { return }
      await Task.yield()
    }
  }

  private static func post(_ app: WireClient, _ body: String = ann) async throws -> WireResponse {
    try await app.request("POST", "/api/session", headers: own, body: body)
  }

  @Test("the page signs in, exchanges as the user, and signs out; what waits stays")
  func journey() async throws {
    let place = try Place()
    try await place.run { app, server async throws in
      let before = try await app.request("GET", "/api/status").text
      #expect(
        before.contains(#""state":"paused""#)
          && before.contains(#""signIn":"signedOut","user":null"#))
      let answer = try await Self.post(app)
      #expect(
        try answer.status == 200 && answer.text.contains(#""signIn":"signedIn","user":"ann""#))
      try await Self.wait(app, #""state":"synced""#)
      _ = try await app.request("PUT", "/api/favorites/1002", headers: Self.own)
      let session = try #require(try place.session.read())
      #expect(session.user == "ann" && session.server == server.address)
      #expect(try !PrivateFiles.isExposed(place.session.file))
      try await Self.wait(app, #""pending":0"#)
      #expect(
        try await server.request("GET", "/favorites", by: session.token).text
          == #"{"favorites":[1002]}"#)
      _ = try await app.request("PUT", "/api/offline", headers: Self.own)
      _ = try await app.request("PUT", "/api/favorites/1003", headers: Self.own)
      let out = try await app.request("DELETE", "/api/session", headers: Self.own)
      #expect(try out.status == 200 && out.text.contains(#""signIn":"signedOut","user":"ann""#))
      #expect(try out.text.contains(#""pending":1"#))
      #expect(try place.session.read() == nil)
      #expect(try await server.request("GET", "/session", by: session.token).status == 401)
      // The edit is sent after the next sign-in.
      #expect(try await Self.post(app).status == 200)
      try await Self.wait(app, #""pending":0"#)
      let token = try #require(try place.session.read()?.token)
      #expect(
        try await server.request("GET", "/favorites", by: token).text
          == #"{"favorites":[1002,1003]}"#)
    }
    // Nothing of the token is in the store.
    let token = try #require(try place.session.read()?.token)
    for name in try FileManager.default.contentsOfDirectory(atPath: place.folder.url.path)
    where name.hasPrefix("app.store") && !name.hasSuffix(".session") {
      let bytes = try Data(contentsOf: place.folder.file(name))
      #expect(
        bytes.range(of: Data(token.utf8)) == nil
          && bytes.range(of: Data(SessionTests.password.utf8)) == nil)
    }
  }

  @Test("when the sign-in has ended, edits wait until the next one, which sends them once")
  func ended() async throws {
    let place = try Place()
    try await place.run { app, server async throws in
      #expect(try await Self.post(app).status == 200)
      try await Self.wait(app, #""state":"synced""#)
      try place.users.change { $0.remove("ann") }
      _ = try await app.request("PUT", "/api/favorites/1002", headers: Self.own)
      try await Self.wait(app, #""signIn":"ended","user":"ann""#)
      let status = try await app.request("GET", "/api/status").text
      #expect(status.contains("The sign-in has ended") && status.contains(#""pending":1"#))
      #expect(try await Self.post(app).status == 401)
      try place.users.change { $0.set("ann", SessionTests.kept) }
      #expect(try await Self.post(app).status == 200)
      try await Self.wait(app, #""pending":0"#)
      try await Self.wait(app, #""signIn":"signedIn""#)
      let token = try #require(try place.session.read()?.token)
      #expect(
        try await server.request("GET", "/favorites", by: token).text
          == #"{"favorites":[1002]}"#)
    }
  }

  @Test("a store belongs to its user: others are refused before anything is changed")
  func others() async throws {
    let place = try Place()
    try await place.run { app, _ async throws in
      #expect(try await Self.post(app).status == 200)
      let session = try place.session.read()
      let answer = try await Self.post(app, #"{"user":"bob","password":"correct horse"}"#)
      let words = "belongs to ann; for bob, use another --store"
      #expect(try answer.status == 422 && answer.text.contains(words))
      #expect(try place.session.read() == session)
      _ = try await app.request("DELETE", "/api/session", headers: Self.own)
      #expect(try await Self.post(app, #"{"user":"bob","password":"correct horse"}"#).status == 422)
    }
    // Another server with a user of this name.
    let other = try Place()
    try await withServer(store: other.store, signIn: SignIn(other.users)) { server async throws in
      let device = try LandmarkStore(file: place.file)
      let source = try AppSource(device, server: #require(URL(string: server.address)), token: nil)
      let error = await #expect(throws: LandmarksError.self) {
        try await source.signIn("ann", SessionTests.password)
      }
      #expect(error?.reason.contains("another account or server") == true)
      #expect(try place.session.read() == nil)
    }
  }

  @Test("a store that was exchanged with a token is taken over on request only")
  func takenOver() async throws {
    let place = try Place()
    try await withServer(store: place.store, signIn: SignIn(place.users)) { server async throws in
      let address = try #require(URL(string: server.address))
      let device = try LandmarkStore(file: place.file)
      _ = try await AppSource(device, server: address, token: alice).exchange()
      let source = try AppSource(device, server: address, token: nil)
      let error = await #expect(throws: LandmarksError.self) {
        try await source.signIn("ann", SessionTests.password)
      }
      #expect(error?.reason.contains("--take-over") == true)
      #expect(try place.session.read() == nil && device.owner() == nil)
      try await source.signIn("ann", SessionTests.password, takesOver: true)
      #expect(try device.owner()?.user == "ann")
      _ = try await source.exchange()
    }
  }

  @Test("a token isn't sent to another server than the one that gave it")
  func otherServer() async throws {
    let place = try Place()
    try place.session.write(
      .init(server: "http://127.0.0.1:1/", user: "ann", token: "token-of-another-server"))
    try await place.run { app, _ async throws in
      try await Self.wait(app, #""signIn":"signedOut""#)
    }
    let device = try LandmarkStore(file: place.file)
    for (address, isSame) in [
      ("http://127.0.0.1:1", true), ("HTTP://127.0.0.1:1/", true), ("https://127.0.0.1:1", false),
      ("http://127.0.0.1:2", false), ("http://127.0.0.1:1/x", false), ("http://localhost:1", false),
    ] {
      let account = DeviceAccount(
        try #require(URL(string: address)), token: nil, file: place.session)
      #expect(try (account.session() != nil) == isSame, "\(address)")
    }
    _ = device
  }

  @Test("a password goes to servers with TLS, and on this machine, only")
  func safety() async throws {
    for (address, isSafe) in [
      ("https://example.org", true), ("HTTPS://10.0.0.1", true), ("http://localhost:8090", true),
      ("http://127.0.0.1", true), ("http://127.8.9.1:1", true), ("http://[::1]:8090", true),
      ("http://a.localhost", true), ("http://example.org", false), ("http://10.0.0.1", false),
      ("http://127.0.0.1.example.org", false), ("http://localhost.example.org", false),
      ("http://127.0.0.256", false), ("http://[::2]", false),
    ] {
      #expect(AppSource.isSafe(try #require(URL(string: address))) == isSafe, "\(address)")
    }
    let folder = try TemporaryFolder()
    let store = try LandmarkStore(file: folder.file("a.store"))
    try await withApp(store, server: "http://192.0.2.1:8090") { app async throws in
      let answer = try await Self.post(app)
      #expect(try answer.status == 422 && answer.text.contains("https"))
    }
  }

  @Test("the page's own rules hold for sign-in and sign-out")
  func ownPage() async throws {
    let place = try Place()
    try await place.run { app, _ async throws in
      for method in ["POST", "DELETE"] {
        let headers = [("Content-Type", "application/json")]
        let answer = try await app.request(method, "/api/session", headers: headers, body: Self.ann)
        #expect(answer.status == 403)
        let rebound = try await app.request(
          method, "/api/session", host: "evil.example", headers: Self.own, body: Self.ann)
        #expect(rebound.status == 421)
      }
      #expect(try await app.request("GET", "/api/session", headers: Self.own).status == 405)
      let plain = [("X-Requested-With", "landmarks"), ("Content-Type", "text/plain")]
      #expect(
        try await app.request("POST", "/api/session", headers: plain, body: Self.ann).status == 415)
      for (body, status) in [
        ("", 400), ("[]", 400), (#"{"user":"ann"}"#, 400), (#"{"user":"","password":"a"}"#, 422),
        (#"{"user":"ann","password":""}"#, 422), (#"{"user":"ann","password":"wrong"}"#, 401),
        (#"{"user":"nobody","password":"correct horse"}"#, 401),
        (#"{"user":"ann","password":""# + String(repeating: "a", count: 9_000) + #""}"#, 413),
      ] {
        #expect(try await Self.post(app, body).status == status, "\(body.prefix(40))")
      }
      #expect(try place.session.read() == nil)
    }
    // A page that comes over the network.
    let settings = LocalServer.Settings(host: "0.0.0.0", port: 0)
    let device = try LandmarkStore(file: place.folder.file("b.store"))
    let app = AppServer(
      place: settings,
      source: try AppSource(
        device, server: #require(URL(string: "http://127.0.0.1:1")), token: nil),
      files: try .bundledWithPage(), every: .seconds(3_600), logger: silentLogger)
    try await withWireClient({ try await app.run(onListening: $0) }) { client async throws in
      let far = try await client.request(
        "POST", "/api/session", host: "192.0.2.7:\(client.port)", headers: Self.own, body: Self.ann)
      #expect(try far.status == 403 && far.text.contains("unencrypted"))
      let near = try await client.request("POST", "/api/session", headers: Self.own, body: Self.ann)
      #expect(near.status == 502)
    }
  }

  @Test("a token of another user isn't used with a user's store; one of the same user is")
  func otherToken() async throws {
    let place = try Place()
    let users = place.users
    try users.change { $0.set("bob", SessionTests.kept) }
    try await withServer(store: place.store, signIn: SignIn(users)) { server async throws in
      let address = try #require(URL(string: server.address))
      let device = try LandmarkStore(file: place.file)
      let annsSource = try AppSource(device, server: address, token: nil)
      try await annsSource.signIn("ann", SessionTests.password)
      _ = try await annsSource.exchange()
      let own = try #require(try place.session.read()?.token)
      try device.setFavorite(1002, true)
      // `bob` is the token of a user with this name, and of no session.
      let source = try AppSource(device, server: address, token: bob)
      for _ in 0..<2 {
        let error = await #expect(throws: LandmarksError.self) { try await source.exchange() }
        #expect(error?.reason.contains("belongs to ann") == true)
      }
      await #expect(throws: (any Error).self) { try await source.sync.exchange() }
      let status = try await source.status()
      #expect(status.state == .paused && status.pending == 1)
      #expect(status.message?.contains("belongs to ann") == true)
      #expect(
        try await server.request("GET", "/favorites", by: bob).text == #"{"favorites":[]}"#)
      // The page's program doesn't use it either, and says why.
      try await withApp(device, server: server.address, token: bob) { app async throws in
        try await Self.wait(app, "belongs to ann")
      }
      #expect(
        try await server.request("GET", "/favorites", by: bob).text == #"{"favorites":[]}"#)
      let refused = try AppSource(device, server: address, token: "not-a-token-of-anybody")
      let error = await #expect(throws: LandmarksError.self) { try await refused.exchange() }
      #expect(error?.code == .unauthorized)
      #expect(try await refused.status().message?.contains("LANDMARKS_TOKEN") == true)
      _ = try await AppSource(device, server: address, token: own).exchange()
      #expect(
        try await server.request("GET", "/favorites", by: own).text == #"{"favorites":[1002]}"#)
    }
  }

  @Test(
    "a server that doesn't tell whose token it is gets it when it has no sessions, otherwise later",
    arguments: [
      (Answer.json(404, "{}"), true), (.json(405, "{}"), true), (.json(200, "{}"), false),
      (.json(200, #"{"user":"bob"}"#), false), (.json(503, "{}"), false), (.nothing, false),
      (.json(200, #"{"user":"ann","server":"another"}"#), false),
      (.json(200, #"{"user":"ann","server":"this"}"#), true),
      (.json(200, #"{"user":"ann"}"#), true),
    ])
  func confirmation(_ answer: Answer, isUsed: Bool) async throws {
    let store = try LandmarkStore(file: nil)
    try store.setOwner(StoreOwner(user: "ann", server: "this"))
    try await withAnswers([answer]) { server in
      let source = try AppSource(store, server: #require(URL(string: server.address)), token: alice)
      #expect(throws: LandmarksError.self) { try source.account.token() }
      if isUsed {
        try await source.confirmOwner()
      } else {
        await #expect(throws: LandmarksError.self) { try await source.confirmOwner() }
      }
      #expect((source.account.unconfirmedToken == nil) == isUsed)
    }
  }

  @Test("a program with a token has no sign-in")
  func fixed() async throws {
    let place = try Place()
    let device = try LandmarkStore(file: place.file)
    try await withApp(device, token: alice) { app async throws in
      #expect(try await app.request("GET", "/api/status").text.contains(#""signIn":"token""#))
      #expect(try await Self.post(app).status == 422)
      #expect(
        try await app.request("DELETE", "/api/session", headers: Self.own).status == 422)
    }
  }

  @Test(
    "hostile answers to a sign-in are refused, and nothing is kept",
    arguments: [
      Answer.json(200, "{}"), .json(201, "{}"), .json(201, "no"), .json(201, #"{"token":1}"#),
      .json(201, #"{"token":"a b","user":"ann"}"#), .json(201, #"{"token":"","user":"ann"}"#),
      .json(201, #"{"token":"abcdefghijklmnop","user":"bob"}"#), .redirect("/x"), .nothing,
      .json(401, #"{"error":{"code":"unauthorized"}}"#), .json(404, "{}"), .json(500, "{}"),
      .json(201, #"{"token":""# + String(repeating: "a", count: 70_000) + #"","user":"ann"}"#),
    ])
  func hostile(_ answer: Answer) async throws {
    let folder = try TemporaryFolder()
    let store = try LandmarkStore(file: folder.file("a.store"))
    try await withAnswers([answer]) { server in
      let source = try AppSource(store, server: #require(URL(string: server.address)), token: nil)
      let error = await #expect(throws: LandmarksError.self) {
        try await source.signIn("ann", SessionTests.password)
      }
      #expect(error?.description.contains(SessionTests.password) == false)
    }
    #expect(try SessionFile(besides: folder.file("a.store")).read() == nil)
    #expect(try store.owner() == nil)
  }

  @Test(
    "hostile files in place of a session are refused without their content",
    arguments: [
      "", "{}", "[]", #"{"server":"http://127.0.0.1:1","user":"ann","token":"secret token"}"#,
      #"{"server":"http://127.0.0.1:1","user":"","token":"secret"}"#,
      String(repeating: "secret", count: 5_000),
    ])
  func hostileFiles(_ text: String) throws {
    let folder = try TemporaryFolder()
    let file = SessionFile(besides: folder.file("a.store"))
    try Data(text.utf8).write(to: file.file)
    let error = #expect(throws: LandmarksError.self) { try file.read() }
    #expect(error?.code == .inputOutput && error?.description.contains("secret") == false)
    try file.remove()
    try file.remove()
    #expect(try file.read() == nil)
  }
}
