import Foundation
import SwiftDataSync
import SwiftDataSyncHTTP
import Testing

import ProgramTesting

@Suite struct RESTRequestTests {
  private func transport(_ address: String) throws -> RESTSyncTransport {
    RESTSyncTransport(try #require(URL(string: address)), resources: [], token: { "secret" })
  }

  @Test func aRequestHasItsDocumentAndTheTokenAndEveryAnswerIsReturned() async throws {
    let throttled =
      "HTTP/1.1 429 X\r\nRetry-After: 7\r\nContent-Length: 2\r\nConnection: close\r\n\r\n<>"
    try await withAnswers([.json(201, #"{"a":1}"#), .json(401, "{}"), .raw(throttled)]) { server in
      let transport = try transport(server.address)
      let made = try await transport.request("POST", "a b/c", .object(["name": .text("x")]))
      #expect(made.status == 201 && made.document == .object(["a": .integer(1)]))
      #expect(made.retryAfter == nil)
      #expect(try await transport.request("GET", "session").status == 401)
      let last = try await transport.request("DELETE", "session")
      #expect(last.status == 429 && last.document == nil && last.retryAfter == .seconds(7))
      let request = server.requests[0]
      #expect(request.hasPrefix("POST /a%20b/c HTTP/1.1\r\n"))
      #expect(request.lowercased().contains("authorization: bearer secret\r\n"))
      #expect(request.hasSuffix(#"{"name":"x"}"#))
    }
  }

  @Test func aPauseIsANumberOfSecondsOrADate() async throws {
    func answer(_ pause: String) -> Answer {
      .raw("HTTP/1.1 503 X\r\nRetry-After: \(pause)\r\nContent-Length: 0\r\n\r\n")
    }
    let pauses = [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", "-1",
      "99999999999999999999",
    ]
    try await withAnswers(pauses.map(answer)) { server in
      let transport = try transport(server.address)
      var found: [Duration?] = []
      for _ in pauses { found.append(try await transport.request("GET", "session").retryAfter) }
      #expect(found[0] == .zero)
      #expect(try #require(found[1]) > .seconds(3_600))
      #expect(found[2] == nil && found[3] == nil)
      #expect(try #require(found[4]) > .seconds(3_600))
    }
  }

  @Test func redirectsAreNotFollowed() async throws {
    try await withAnswers([.redirect("/elsewhere"), .json(200, "{}")]) { server in
      let transport = try transport(server.address)
      #expect(try await transport.request("GET", "session").status == 307)
      #expect(server.requests.count == 1)
    }
  }

  @Test func withoutAnAnswerTheFailureIsOffline() async throws {
    try await withAnswers([.nothing]) { server in
      let transport = try transport(server.address)
      let failure = await #expect(throws: SyncFailure.self) {
        try await transport.request("GET", "session")
      }
      #expect(failure?.kind == .offline)
    }
  }
}
