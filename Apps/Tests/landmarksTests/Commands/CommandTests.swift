import Foundation
import Testing

@testable import ProgramTesting
@testable import TestSupport

@Suite("The command line of landmarks", .timeLimit(.minutes(5)))
struct LandmarksCommandTests {
  private struct Workplace {
    private let place: TemporaryFolder
    let program: Program
    var folder: URL { place.url }

    init() throws {
      place = try TemporaryFolder("landmarks")
      program = try Program(
        "landmarks", folder: place.url,
        environment: [
          "LANDMARKS_STORE": place.file("a.store").path,
          "LANDMARKS_TOKEN": alice, "LANDMARKS_SERVER": "http://127.0.0.1:1",
        ])
    }

    func serve(_ rules: String...) async throws -> RunningProgram {
      try await program.serve(
        [
          "serve", "--port", "0", "--store", folder.appendingPathComponent("server.store").path,
        ] + rules)
    }
  }

  @Test("sync fills the store; edits are kept offline, shown by status, and sent by the next sync")
  func journey() async throws {
    let place = try Workplace()
    let empty = try await place.program.run("list")
    #expect(empty.code == 74 && empty.errors.contains("landmarks sync"))
    let server = try await place.serve()
    let first = try await place.program.run("sync", "--server", server.address)
    #expect(first.code == 0 && first.output.hasPrefix("80 landmarks new or changed"))
    #expect(try await server.stop() == 0)
    let quiet = try await place.program.run("status", "--json")
    #expect(quiet.output.hasPrefix(#"{"state":"idle","#) && quiet.output.contains(#""pending":0"#))

    let marked = try await place.program.run("favorite", "1002")
    #expect(marked.output == "El Capitan is now a favorite.\n")
    let made = try await place.program.run("reserve", "1003", "--on", Self.day(40))
    #expect(made.code == 0 && made.output.contains("confirmed  Yosemite Falls"))
    let id = String(made.output.prefix(36))
    #expect(try await place.program.run("reserve", "--cancel", id).output.contains("cancelled"))
    let status = try await place.program.run("status")
    #expect(status.output.contains("2 changes wait:"))
    #expect(status.output.contains("  favorite: El Capitan: waits for the next exchange\n"))
    #expect(status.output.contains("  reservation: Yosemite Falls: waits for the next exchange\n"))
    let away = try await place.program.run("sync")
    #expect(away.code == 69 && away.errors.hasPrefix("landmarks: The server can't be reached ("))
    #expect(
      !away.errors.contains("feed") && away.errors.contains("Changes are kept here and wait."))
    let favorites = try await place.program.run("list", "--favorites")
    #expect(favorites.output.split(separator: "\n").count == 1)

    let again = try await place.serve()
    let second = try await place.program.run("sync", "--server", again.address)
    #expect(second.code == 0 && second.output.contains("2 changes sent"), "\(second)")
    #expect(second.output.contains("0 waiting"))
    try await again.stop()
  }

  @Test("calendar prints the visits, and activity what happened, here and elsewhere")
  func calendarAndActivity() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    _ = try await place.program.run("sync", "--server", server.address)
    let none = try await place.program.run("calendar")
    #expect(none.code == 0 && none.output.isEmpty && none.errors == "No reservations.\n")
    let day = Self.day(40)
    _ = try await place.program.run("favorite", "1002")
    let made = try await place.program.run("reserve", "1003", "--on", day + "T10:00")
    let id = String(made.output.prefix(36))
    let calendar = try await place.program.run("calendar").output.components(separatedBy: "\r\n")
    #expect(calendar.first == "BEGIN:VCALENDAR" && calendar.contains("UID:\(id)"))
    #expect(calendar.contains("SUMMARY:Yosemite Falls"))
    _ = try await place.program.run("reserve", "--cancel", id)
    _ = try await place.program.run("sync", "--server", server.address)
    let activity = try await place.program.run("activity").output
      .split(separator: "\n").map { $0.split(separator: "  ", maxSplits: 2) }
    #expect(
      activity.map { $0.last?.trimmingCharacters(in: .whitespaces) } == [
        "a visit to Yosemite Falls cancelled", "a visit to Yosemite Falls planned",
        "El Capitan marked as a favorite",
      ])
    #expect(activity.allSatisfy { $0.count == 3 && $0[1].hasPrefix("here") })
    let json = try await place.program.run("activity", "--json", "--limit", "1").output
    #expect(
      json.hasPrefix(
        #"[{"kind":"cancelled","landmarkID":1003,"reservationID":"\#(id)","date":null,"made":"#))
    try await server.stop()
  }

  @Test("sync and status print the dates that are free for a refused visit, and how one is chosen")
  func freeDates() async throws {
    let place = try Workplace()
    let server = try await place.serve("--places-a-day", "1")
    let address = server.address
    _ = try await place.program.run("sync", "--server", address)
    _ = try await place.program.run("reserve", "1003", "--on", Self.day(40) + "T10:00")
    _ = try await place.program.run("sync", "--server", address)
    let made = try await place.program.run("reserve", "1003", "--on", Self.day(40) + "T11:00")
    let id = String(made.output.prefix(36))
    let first = Self.day(41) + "T11:00"
    let free =
      "Free: \(first), \(Self.day(42))T11:00, \(Self.day(43))T11:00 "
      + "(landmarks reserve --change \(id) --on \(first))\n"
    #expect(try await place.program.run("sync", "--server", address).output.hasSuffix("  " + free))
    let status = try await place.program.run("status")
    #expect(status.output.contains(" are free.\n    " + free))
    // As it is printed, the command works.
    _ = try await place.program.run("reserve", "--change", id, "--on", first)
    let last = try await place.program.run("sync", "--server", address)
    #expect(last.output.contains("1 change sent") && last.output.contains("0 waiting"))
    #expect(try await !place.program.run("status").output.contains("Free"))
    try await server.stop()
  }

  @Test("photos are added, listed, exchanged, saved and removed; other files are refused")
  func photos() async throws {
    let place = try Workplace()
    let program = place.program
    let server = try await place.serve()
    _ = try await program.run("sync", "--server", server.address)
    let made = try await program.run("reserve", "1003", "--on", Self.day(40))
    let visit = String(made.output.prefix(36))
    let none = try await program.run("photo", visit)
    #expect(none.code == 0 && none.output.isEmpty && none.errors == "No photos.\n")
    let data = SamplePhotos.jpeg(4_000, 3_000, count: 600_000)
    let file = place.folder.appendingPathComponent("dome.jpg")
    try data.write(to: file)
    let added = try await program.run("photo", visit, file.path, "--caption", "From \u{1b}[2Jbelow")
    let id = String(added.output.prefix(36))
    let shown = "  jpeg 4000 × 3000  600 kB  From [2Jbelow\n"
    #expect(added.code == 0 && added.output.hasSuffix(shown))
    #expect(try await program.run("photo", visit).output == added.output)
    let status = try await program.run("status")
    #expect(status.output.contains("  photo \(id): Yosemite Falls: waits for the next exchange\n"))
    let json = try await program.run("photo", visit, "--json").output
    #expect(json.hasPrefix(#"[{"id":"\#(id)","reservationID":"\#(visit)","added":"#))
    #expect(json.hasSuffix(#""caption":"From [2Jbelow","isWaiting":true,"refusal":null}]"# + "\n"))
    _ = try await program.run("sync", "--server", server.address)
    #expect(try await program.run("photo", visit, "--json").output.contains(#""isWaiting":false"#))

    let other = ["--store", place.folder.appendingPathComponent("b.store").path]
    _ = try await program.run(arguments: ["sync", "--server", server.address] + other)
    let folder = place.folder.appendingPathComponent("photos", isDirectory: true)
    let saved = try await program.run(
      arguments: ["photo", visit, "--save", folder.path] + other)
    let copy = folder.appendingPathComponent("\(id).jpg")
    #expect(saved.code == 0 && saved.output == "\(copy.path)\n")
    #expect(try Data(contentsOf: copy) == data)
    // What is there already is left as it is.
    let again = try await program.run(
      arguments: ["photo", visit, "--save", folder.path] + other)
    #expect(again.code == 74 && again.errors.contains("\(id).jpg"))

    let change = ["photo", "--change", id, "--caption"]
    #expect(try await program.run(arguments: change + ["From the bridge"] + other).code == 0)
    _ = try await program.run(arguments: ["sync", "--server", server.address] + other)
    _ = try await program.run("sync", "--server", server.address)
    let changed = try await program.run("photo", visit, "--json").output
    #expect(changed.contains(#""caption":"From the bridge""#))
    #expect(try await program.run("photo", "--change", id, "--caption", "").code == 0)
    #expect(try await program.run("photo", visit, "--json").output.contains(#""caption":"""#))
    let long = String(repeating: "a", count: 201)
    #expect(try await program.run("photo", "--change", id, "--caption", long).code == 64)
    #expect(try await program.run("photo", "--change", visit, "--caption", "a").code == 1)
    #expect(try await program.run("photo", "--change", id).code == 64)
    #expect(try await program.run("photo", visit, "--change", id, "--caption", "a").code == 64)
    #expect(try await program.run("photo", visit, "--caption", "a").code == 64)

    try Data("<svg/>".utf8).write(to: file)
    let drawing = try await program.run("photo", visit, file.path)
    #expect(drawing.code == 64 && drawing.errors.contains("use a photo in JPEG, PNG or WebP"))
    #expect(try await program.run("photo", visit, file.path + "x").code == 74)
    #expect(try await program.run("photo", id, file.path).code == 1)
    #expect(try await program.run("photo").code == 64)
    #expect(try await program.run("photo", visit, "--remove", id).code == 64)
    #expect(try await program.run("photo", "--remove", id).code == 0)
    #expect(try await program.run("photo", visit).errors == "No photos.\n")
    try await server.stop()
  }

  @Test("notes are made, shown, changed, merged by an exchange, and in the calendar")
  func notes() async throws {
    let place = try Workplace()
    let program = place.program
    let server = try await place.serve()
    _ = try await program.run("sync", "--server", server.address)
    let day = Self.day(40)
    let made = try await program.run(
      "reserve", "1003", "--on", day + "T10:00", "--note", "Tickets\n\n\u{1b}[2JWater\t2 l")
    let id = String(made.output.prefix(36))
    let shown = "    Tickets\n\n    [2JWater    2 l\n"
    #expect(made.output == "\(id)  \(day)T10:00  confirmed  Yosemite Falls\n" + shown)
    #expect(try await program.run("reserve").output == made.output)
    #expect(try await program.run("note", id).output == "Tickets\n\n[2JWater    2 l\n")
    let json = try await program.run("reserve", "--json").output
    #expect(json.hasPrefix(#"[{"id":"\#(id)","landmarkID":1003,"date":"#))
    let noted = #""note":"Tickets\u000a\u000a[2JWater\u00092 l","status":"confirmed","#
    #expect(json.contains(noted + #""isWaiting":true"#))
    let status = try await program.run("status")
    #expect(status.output.contains("  reservation: Yosemite Falls, with a note: waits for"))
    let waiting = try await program.run("status", "--json").output
    #expect(waiting.contains(#""waiting":[{"kind":"reservation","landmarkID":1003,"#))
    _ = try await program.run("sync", "--server", server.address)

    let input = try await program.shell("printf 'Tickets\r\nTent\n' | landmarks note \(id) -")
    #expect(input.code == 0 && input.output.hasSuffix("Yosemite Falls\n    Tickets\n    Tent\n"))
    let other = ["--store", place.folder.appendingPathComponent("b.store").path]
    _ = try await program.run(arguments: ["sync", "--server", server.address] + other)
    _ = try await program.run(arguments: ["note", id, "--add", "Food"] + other)
    for store in [[], other, []] {
      _ = try await program.run(arguments: ["sync", "--server", server.address] + store)
    }
    for store in [[], other] {
      let note = try await program.run(arguments: ["note", id] + store)
      #expect(Set(note.output.split(separator: "\n")).isSuperset(of: ["Tickets", "Tent"]))
      #expect(note.output.contains("Food"))
    }
    #expect(try await program.run("calendar").output.contains("DESCRIPTION:Tickets\\n"))
    #expect(
      try await program.run("activity").output.contains(
        "here       the note of a visit to Yosemite Falls changed"))

    #expect(try await program.run("note", id, "").code == 0)
    let none = try await program.run("note", id)
    #expect(none.code == 0 && none.output.isEmpty && none.errors == "No note.\n")
    let long = try await program.run("note", id, String(repeating: "a", count: 2_001))
    #expect(long.code == 64 && long.errors.contains("a note has at most 2000 characters"))
    let endless = try await program.shell("yes | landmarks note \(id) -")
    #expect(endless.code == 64)
    let binary = try await program.shell("printf '\\xff' | landmarks note \(id) -")
    #expect(binary.code == 64)
    try await server.stop()
  }

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

    let made = try await run("reserve", "1003", "--on", Self.day(40), "--note", "Tent")
    let id = try #require(made["id"] as? String)
    #expect(made["landmarkID"] as? Int == 1003 && made["note"] as? String == "Tent")
    #expect(made["isWaiting"] as? Bool == true)
    let moved = try await run("reserve", "--change", id, "--on", Self.day(41))
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

  @Test("the columns of list begin at the same place in every line, and counts have their words")
  func columns() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    _ = try await place.program.run("sync", "--server", server.address)
    _ = try await place.program.run("favorite", "1002")
    let one = try await place.program.run("sync", "--server", server.address)
    #expect(one.output == "0 landmarks new or changed, 1 change sent, 0 received, 0 waiting\n")
    let list = try await place.program.run("list")
    let rows = list.output.split(separator: "\n")
    let kind =
      #/  (?:lakes|rivers|mountains|canyons|coasts|forests|deserts|caves|monuments) +[A-Z]/#
    // The name's column is as wide as the longest name, with two blanks behind it.
    let places = rows.compactMap { row in
      row.firstRange(of: kind).map { row.distance(from: row.startIndex, to: $0.upperBound) }
    }
    #expect(rows.count == 80 && places.count == 80 && Set(places).count == 1)
    let marked = rows.filter { $0.hasPrefix("♥ 1002  El Capitan ") }
    #expect(marked.count == 1 && rows.filter { $0.hasPrefix("  10") }.count == 79)
    try await server.stop()
  }

  @Test(
    "the help is whole: lists stay in their lines, and paragraphs break at the end of lines only",
    arguments: [
      "", "serve", "users", "users add", "users list", "users remove", "users password", "app",
      "list", "favorite", "reserve", "note", "calendar", "activity", "status",
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

  @Test("two programs can't listen on one port, and the second reports it")
  func takenPort() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    let port = try WireClient(server.address).port
    let second = try await place.program.run("app", "--port", "\(port)")
    #expect(second.code == 74 && second.errors.contains("cannot listen"))
    #expect(second.errors.contains("another program listens there already"))
    #expect(!second.errors.contains("errno"))
    try await server.stop()
  }

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
    #expect(status.output.contains("from \(server.address)\nSigned in as ann\n1 change waits:\n"))
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

  /// Returns the day in a number of days from now, in the format of the command line.
  private static func day(_ days: Double) -> String {
    String(Date().addingTimeInterval(days * 86_400).ISO8601Format().prefix(10))
  }
}
