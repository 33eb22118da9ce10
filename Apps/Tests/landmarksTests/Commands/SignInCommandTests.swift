import Foundation
import Testing

@testable import ProgramTesting

@Suite("The sign-in on the command line", .timeLimit(.minutes(20)))
struct SignInCommandTests {
  @Test("a first sign-in or exchange that fails leaves nothing behind, and says so")
  func nothingLeft() async throws {
    let place = try Workplace()
    let folder = place.folder.path
    _ = try await place.program.run(
      "users", "add", "ann", "--generate", "--store", "\(folder)/server.store")
    let server = try await place.serve()
    let store = "\(folder)/new/a.store"
    let none = "export LANDMARKS_TOKEN= LANDMARKS_STORE='\(store)';"
    let away = "--server http://127.0.0.1:1"
    for (command, code, words) in [
      ("sync --server \(server.address)", 77, "landmarks sign-in"),
      ("sync \(away) --token \(alice)", 69, "No store was made at \(store)."),
      ("sync --server \(server.address) --token \(alice)-other", 77, "does not accept the token"),
      ("sign-in --user ann --server \(server.address) </dev/null", 74, "a line with the password"),
      ("sign-in --server \(server.address) </dev/null", 64, "give the user's name"),
    ] {
      let outcome = try await place.program.shell("\(none) landmarks \(command) 2>&1")
      #expect(outcome.code == code && outcome.output.contains(words), "\(command): \(outcome)")
      #expect(!outcome.output.contains("Usage"), "\(command): \(outcome)")
    }
    for address in [server.address, "http://127.0.0.1:1"] {
      let outcome = try await place.program.shell(
        "\(none) echo 'wrong horse' | landmarks sign-in --user ann --server \(address)")
      #expect([69, 77].contains(outcome.code), "\(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/new"))
    let made = try await place.program.shell(
      "\(none) landmarks sync --server \(server.address) --token \(alice)")
    #expect(made.output.hasPrefix("80 landmarks new or changed"), "\(made)")
    #expect(FileManager.default.fileExists(atPath: store))
    try await server.stop()
  }

  @Test("sign-in keeps a token for the other commands, status says who, and sign-out ends it")
  func signIn() async throws {
    let place = try Workplace()
    let none = ["LANDMARKS_TOKEN": "", "LANDMARKS_SERVER": ""]
    let folder = place.folder.path
    let made = try await place.program.run(
      "users", "add", "ann", "--generate", "--store", "\(folder)/server.store")
    let password = made.output.dropLast()
    let server = try await place.serve()
    func run(_ arguments: String...) async throws -> Program.Outcome {
      try await place.program.run(arguments: arguments, environment: none)
    }
    func signIn(
      _ password: some StringProtocol, _ more: String = ""
    ) async throws -> Program.Outcome {
      try await place.program.shell(
        "export LANDMARKS_TOKEN= LANDMARKS_SERVER=; echo '\(password)' |"
          + " landmarks sign-in --user ann --server \(server.address) \(more)")
    }
    let out = try await run("sync", "--server", server.address)
    #expect(out.code == 77 && out.errors.contains("landmarks sign-in"))
    #expect(try await signIn("wrong horse").code == 77)
    let signedIn = try await signIn(password)
    #expect(signedIn.code == 0 && signedIn.output == "Signed in as ann at \(server.address).\n")
    // The server's address is known from the sign-in.
    #expect(try await run("sync").output.hasPrefix("80 landmarks new or changed"))
    _ = try await run("favorite", "1002")
    let status = try await run("status")
    #expect(status.output.contains("server \(server.address)\nSigned in as ann\n1 change waits:\n"))
    let json = try await run("status", "--json")
    #expect(json.output.contains(#""signIn":"signedIn","user":"ann""#))
    let ended = try await run("sign-out")
    #expect(ended.output == "ann is signed out. 1 change waits here until ann signs in again.\n")
    #expect(ended.code == 0 && ended.errors.isEmpty)
    #expect(try await run("sign-out").output == "Nobody is signed in.\n")
    #expect(
      try await run("status").output.contains("Signed out; the data are ann's\n1 change waits"))
    let again = try await signIn(password, "--json")
    let waiting = #""user":"ann","waiting":[{"kind":"favorite""#
    #expect(again.code == 0 && again.output.contains(#""signIn":"signedIn","# + waiting))
    let left = try await run("sign-out", "--json")
    #expect(left.output.contains(#""signIn":"signedOut","# + waiting))
    #expect(left.output.filter { $0 == "\n" }.count == 1)
    // Without a session, the server is the usual one again.
    let nobody = try await run("sign-out", "--json")
    #expect(nobody.code == 0 && nobody.output.contains(#""signIn":"signedOut","# + waiting))
    #expect(try await signIn(password).code == 0)
    #expect(try await run("sync").output.contains("1 change sent"))
    chmod("\(folder)/a.store.session", 0o644)
    let exposed = try await run("status")
    #expect(exposed.code == 0 && exposed.errors.contains("chmod 600"))
    try await server.stop()
    let away = try await run("sign-out")
    #expect(away.code == 0 && away.errors.contains("90 days"))
    #expect(try await run("sign-in").code == 64)
    for name in place.program.files() where !name.hasSuffix(".session") {
      let bytes = try? Data(contentsOf: place.folder.appendingPathComponent(name))
      #expect(bytes?.range(of: Data(password.utf8)) == nil, "\(name)")
    }
  }
}
