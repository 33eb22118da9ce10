import Foundation
import LocalApp
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import TestSupport

@Suite("Changes of a reservation on a condition", .timeLimit(.minutes(20)))
struct ConditionTests {
  private let path = "/reservations/6F9619FF-8B86-D011-B42D-00CF4FC964FF"

  private func body(_ date: String) -> String {
    #"{"landmarkID":1002,"date":"\#(date)","status":"confirmed"}"#
  }

  @Test("nothing is overwritten without a condition, and each form of If-Match is understood")
  func conditions() async throws {
    try await withServer { client async throws in
      func put(_ day: Int, _ fields: [(String, String)] = []) async throws -> Int {
        let date = "2030-06-\(day < 10 ? "0" : "")\(day)T12:00:00Z"
        return try await client.request("PUT", path, by: alice, fields, body: body(date)).status
      }
      #expect(try await put(1, [("If-Match", "*")]) == 412, "there is none yet")
      #expect(try await put(1) == 201)
      #expect(try await put(1) == 200, "a repeated request")
      #expect(try await put(2) == 428, "another one is there")
      #expect(try await put(2, [("If-Match", "*")]) == 200)
      #expect(try await put(3, [("If-Match", "\"9\"")]) == 412)
      #expect(try await put(3, [("If-Match", "\"9\", \"2\"")]) == 200)
      #expect(try await put(4, [("If-Match", "W/\"3\"")]) == 412, "a weak tag matches nothing")
      #expect(try await put(4, [("If-Match", "\"03\"")]) == 200)
      for tag in ["3", "\"", "\"4", ""] {
        #expect([400, 412].contains(try await put(5, [("If-Match", tag)])), "\(tag)")
      }
      #expect(try await put(5, [("If-None-Match", "*")]) == 412)
      #expect(try await put(5, [("If-None-Match", "\"4\"")]) == 400)
      let read = try await client.request("GET", path, by: alice)
      #expect(try read.text.contains("2030-06-04T12:00:00Z"))
    }
  }

  @Test("a list of tags may have empty elements")
  func emptyElements() async throws {
    try await withServer { client async throws in
      func put(_ day: Int, _ tags: String?) async throws -> Int {
        let fields = tags.map { [("If-Match", $0)] } ?? []
        let body = body("2030-06-0\(day)T12:00:00Z")
        return try await client.request("PUT", path, by: alice, fields, body: body).status
      }
      #expect(try await put(1, nil) == 201)
      let lists = ["\"#\", , \"9\"", "\"#\",", ", \t,\"#\"", "\"8\",\t \t,\"#\""]
      for (number, list) in lists.enumerated() {
        let tags = list.replacingOccurrences(of: "#", with: "\(number + 1)")
        #expect(try await put(number + 2, tags) == 200, "\(tags.debugDescription)")
      }
      for tags in [",", ", ,", ",\t,"] {
        #expect(try await put(9, tags) == 412, "\(tags.debugDescription)")
      }
      #expect(try await put(9, "\"5\", , x") == 400)
    }
  }

  @Test(
    "invalid calendar dates are refused",
    arguments: [
      "2030-02-30T12:00:00Z", "2030-02-28T24:00:00Z", "2030-02-28T12:60:00Z",
      "2030-02-28T12:00:60Z",
    ])
  func dates(_ date: String) async throws {
    try await withServer { client async throws in
      #expect(try await client.request("PUT", path, by: alice, body: body(date)).status == 400)
      #expect(try await client.request("GET", path, by: alice).status == 404)
    }
  }

  @Test("the server's store and its folder are for its owner only")
  func permissions() async throws {
    let place = try TemporaryFolder()
    // The store creates it.
    let folder = place.file("inner")
    let file = folder.appending(path: "server.store")
    let store = try ServedStore(file: file, landmarks: [])
    _ = try await store.favorites(of: "ann")
    func mode(_ url: URL) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      return try #require(attributes[.posixPermissions] as? NSNumber).intValue & 0o777
    }
    #expect(try mode(folder) == 0o700)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      #expect(try mode(folder.appending(path: name)) & 0o077 == 0, "\(name)")
    }
    #expect(try !PrivateFiles.isExposed(file))
  }

  @Test("a token file that others can read gets a warning, another one none")
  func tokenFile() async throws {
    let folder = try TemporaryFolder()
    let program = try Program("landmarks", folder: folder.url, environment: [:])
    let tokens = try folder.file("tokens.txt", "ann \(alice)\n")
    for (mode, warns) in [(0o644, true), (0o600, false), (0o640, true)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: tokens.path)
      // If the port isn't available, the server ends immediately.
      let outcome = try await program.run(
        "serve", "--host", "192.0.2.1", "--port", "1", "--token-file", tokens.path, "--store",
        folder.file("s.store").path)
      #expect(outcome.code == 74)
      #expect(outcome.errors.contains("Others can read \(tokens.path)") == warns)
      #expect(!outcome.errors.contains(alice))
    }
  }
}
