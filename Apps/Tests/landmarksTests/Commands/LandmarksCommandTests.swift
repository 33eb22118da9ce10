import Foundation
import Testing

@testable import ProgramTesting

@Suite("The command line of landmarks", .timeLimit(.minutes(20)))
struct LandmarksCommandTests {
  @Test("every command that changes something prints what it changed as JSON, if asked")
  func json() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    func run(_ arguments: String...) async throws -> [String: Any] {
      let outcome = try await place.program.run(arguments: arguments + ["--json"])
      #expect(outcome.code == 0 && outcome.output.filter { $0 == "\n" }.count == 1, "\(outcome)")
      let value = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      return try #require(value as? [String: Any], "\(arguments): \(outcome.output)")
    }
    let first = try await run("sync", "--server", server.address)
    #expect(first["inserted"] as? Int == 80 && first["sent"] as? Int == 0)
    #expect((first["waiting"] as? [Any])?.count == 0 && (first["notices"] as? [Any])?.count == 0)

    let marked = try await run("favorite", "1002")
    #expect(marked["name"] as? String == "El Capitan" && marked["isFavorite"] as? Bool == true)
    #expect(marked["isWaiting"] as? Bool == true)
    #expect(try await run("favorite", "1002", "--remove")["isFavorite"] as? Bool == false)

    let made = try await run("reserve", "1003", "--on", Workplace.day(40), "--note", "Tent")
    let id = try #require(made["id"] as? String)
    #expect(made["landmarkID"] as? Int == 1003 && made["note"] as? String == "Tent")
    #expect(made["isWaiting"] as? Bool == true)
    let moved = try await run("reserve", "--change", id, "--on", Workplace.day(41))
    #expect(moved["date"] as? Int == (made["date"] as? Int).map { $0 + 86_400_000 })
    #expect(try await run("note", id)["note"] as? String == "Tent")
    #expect(try await run("note", id, "--add", "Water")["note"] as? String == "Tent\nWater")
    #expect(try await run("note", id, "")["note"] as? String == "")
    #expect(try await run("reserve", "--cancel", id)["status"] as? String == "cancelled")

    let file = place.folder.appendingPathComponent("dome.jpg")
    try SamplePhotos.jpeg(400, 300, count: 6_000).write(to: file)
    let photo = try await run("photo", id, file.path, "--caption", "Below")
    let photoID = try #require(photo["id"] as? String)
    #expect(photo["caption"] as? String == "Below" && photo["file"] == nil)
    let captioned = try await run("photo", "--change", photoID, "--caption", "Above")
    #expect(captioned["caption"] as? String == "Above")
    let folder = place.folder.appendingPathComponent("photos").path
    let saved = try await place.program.run("photo", id, "--save", folder, "--json")
    #expect(saved.output.contains(#""file":"\#(folder)/\#(photoID).jpg"}]"#), "\(saved)")
    #expect(try await run("photo", "--remove", photoID)["id"] as? String == photoID)
    let again = try await place.program.run("photo", "--remove", photoID, "--json")
    #expect(again.code == 0 && again.output == "null\n")
    #expect(try await run("reserve", "--remove", id)["id"] as? String == id)
    let gone = try await place.program.run("reserve", "--remove", id, "--json")
    #expect(gone.code == 0 && gone.output == "null\n")
    try await server.stop()
  }

  @Test(
    "the help is whole: lists stay in their lines, and paragraphs break at the end of lines only",
    arguments: [
      "", "serve", "users", "users add", "users list", "users remove", "users password", "app",
      "beside", "list", "favorite", "reserve", "note", "calendar", "activity", "status",
      "sync", "sign-in", "sign-out",
    ])
  func help(command: String) async throws {
    let place = try Workplace()
    let outcome = try await place.program.run(
      arguments: ["help"] + command.split(separator: " ").map(String.init))
    #expect(outcome.code == 0 && !outcome.output.contains("/…"))
    let described = outcome.output.components(separatedBy: "\nUSAGE: ")[0]
    for block in described.components(separatedBy: "\n\n") {
      let lines = block.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 })
      if lines.first?.allSatisfy({ $0.isUppercase || $0 == " " }) == true {
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") }, "\(block)")
        continue
      }
      for (line, next) in zip(lines, lines.dropFirst()) {
        let word = next.prefix { $0 != " " }
        #expect(line.count + 1 + word.count >= 80, "\(line)|\(next)")
      }
    }
  }

  @Test("wrong use, unknown things and refused tokens have their exit codes")
  func exitCodes() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    _ = try await place.program.run("sync", "--server", server.address)
    for (arguments, code) in [
      (["favorite", "9999"], 1), (["favorite", "x"], 64),
      (["list", "--category", "volcanoes"], 64),
      (["reserve", "1002"], 64), (["reserve", "--cancel", "x"], 64),
      (["reserve", "1002", "--on", "someday"], 64),
      (["reserve", "1002", "--on", "2030-02-31"], 64),
      (["reserve", "1002", "--cancel", "x"], 64), (["reserve", "--note", "Water"], 64),
      (["reserve", "--json", "--note", "Water"], 64), (["note"], 64),
      (["favorite", "9999", "--json"], 1), (["reserve", "--cancel", "x", "--json"], 64),
      (["note", "x"], 64),
      (["note", "5F0C9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C", "a", "--add", "b"], 64),
      (["note", "5F0C9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C"], 1),
      (["note", "5F0C9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C", "a"], 1),
      (["sync", "--server", "ftp://x"], 64),
      (["sync", "--server", "http://u:p@127.0.0.1/"], 64), (["serve", "--token", "short"], 64),
      (["serve", "--token-file", "/nowhere"], 74), (["users", "add", "a b"], 64),
      (["users", "remove", "nobody"], 1), (["users", "password", "nobody", "--generate"], 1),
      (["users", "list", "--users", "/dev/null"], 74), (["users", "add", "ann"], 74),
      (["users", "add", "ann", "--generate", "--users", "/dev/null/users"], 74),
      (["app", "--every", "0"], 64),
      (["serve", "--places-a-day", "0"], 64), (["serve", "--closed", "someday"], 64),
      (
        ["serve"]
          + ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
          .flatMap { ["--closed", $0] }, 64
      ),
      (["activity", "--limit", "0"], 64), (["activity", "--limit", "many"], 64),
      (["status", "--store", "/dev/null/x.store"], 74),
      (["sync", "--server", server.address, "--token", "nobody-0123456789abcdef"], 77),
    ] as [([String], Int32)] {
      let outcome = try await place.program.run(arguments: arguments)
      #expect(outcome.code == code, "\(arguments): \(outcome.errors)")
      #expect(outcome.output.isEmpty && !outcome.errors.isEmpty, "\(arguments)")
    }
    try await server.stop()
  }

  @Test(
    "without a store, commands that need one create nothing and fail with a message",
    arguments: [
      ["list"], ["list", "--json"], ["list", "--favorites"], ["status"], ["status", "--json"],
      ["calendar"], ["activity"], ["activity", "--json"],
      ["reserve"], ["reserve", "1002", "--on", "2030-01-01"], ["favorite", "1002"],
      ["reserve", "--json"], ["note", "5F0C9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C", "Water"],
      ["reserve", "--cancel", "5F0C9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C"],
      ["reserve", "--remove", "5F0C9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C"],
    ])
  func noStore(_ command: [String]) async throws {
    let place = try Workplace()
    let empty = place.folder.appendingPathComponent("empty.store")
    try Data().write(to: empty)
    let before = place.program.files()
    for store in [
      "mistyped.store", "no/such/folder/a.store", "empty.store", "empty.store/a.store", ".",
    ] {
      let path = place.folder.appendingPathComponent(store).path
      let outcome = try await place.program.run(arguments: command + ["--store", path])
      #expect(outcome.code == 74, "\(command) \(store): \(outcome)")
      #expect(
        outcome.output.isEmpty && outcome.errors.contains(path), "\(store): \(outcome.errors)")
      #expect(place.program.files() == before, "\(command) \(store)")
    }
    let usual = try await place.program.run(
      arguments: command,
      environment: ["LANDMARKS_STORE": "", "XDG_DATA_HOME": place.folder.path + "/data"])
    #expect(usual.code == 74 && usual.errors.contains("there is no store"))
    #expect(place.program.files() == before)
  }
}
