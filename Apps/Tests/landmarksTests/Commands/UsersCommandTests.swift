import Foundation
import Testing

@testable import ProgramTesting

@Suite("Users on the command line", .timeLimit(.minutes(20)))
struct UsersCommandTests {
  @Test("users are added, listed, changed and removed; a server without any doesn't start")
  func users() async throws {
    let place = try Workplace()
    let store = ["--store", place.folder.appendingPathComponent("server.store").path]
    func run(_ arguments: String...) async throws -> Program.Outcome {
      try await place.program.run(
        arguments: arguments + store, environment: ["LANDMARKS_TOKEN": ""])
    }
    let none = try await run("serve", "--port", "0")
    #expect(none.code == 64 && none.errors.contains("landmarks users add NAME"))
    #expect(try await run("users", "list", "--json").output == "[]\n")
    let empty = try await run("users", "list")
    #expect(empty.code == 0 && empty.output.isEmpty && empty.errors.contains("No users"))
    let made = try await run("users", "add", "ann", "--generate")
    #expect(made.code == 0 && made.output.count == 24 && made.errors.contains("ann is added"))
    let path = store[1]
    let typed = try await place.program.shell(
      "echo 'correct horse' | landmarks users add bob --store '\(path)'")
    #expect(typed.code == 0 && typed.output == "bob is added.\n")
    let short = try await place.program.shell(
      "echo short | landmarks users password bob --store '\(path)'")
    #expect(short.code == 64)
    #expect(try await run("users", "list").output == "ann\nbob\n")
    let listed = try await run("users", "list", "--json").output
    #expect(listed == #"[{"name":"ann"},{"name":"bob"}]"# + "\n")
    let again = try await run("users", "add", "ann", "--generate")
    #expect(again.code == 64 && again.output.isEmpty)
    let file = try String(contentsOfFile: path + ".users", encoding: .utf8)
    #expect(!file.contains("horse") && !file.contains(made.output.dropLast()))
    let server = try await place.program.serve(["serve", "--port", "0"] + store)
    let client = try WireClient(server.address)
    func signIn(_ name: String, _ password: String) async throws -> Int {
      try await client.request(
        "POST", "/session", headers: [("Content-Type", "application/json")],
        body: #"{"user":"\#(name)","password":"\#(password)"}"#
      ).status
    }
    #expect(try await signIn("ann", String(made.output.dropLast())) == 201)
    #expect(try await signIn("bob", "correct horse") == 201)
    #expect(try await run("users", "password", "bob", "--generate").code == 0)
    #expect(try await run("users", "remove", "ann").output == "ann is removed.\n")
    #expect(try await signIn("ann", String(made.output.dropLast())) == 401)
    #expect(try await signIn("bob", "correct horse") == 401)
    #expect(try await run("users", "list").output == "bob\n")
    try await server.stop()
  }
}
