import Foundation
import Testing

@testable import ProgramTesting

@Suite("Notes on the command line", .timeLimit(.minutes(20)))
struct NoteCommandTests {
  @Test("notes are made, shown, changed, merged by an exchange, and in the calendar")
  func notes() async throws {
    let place = try Workplace()
    let program = place.program
    let server = try await place.serve()
    _ = try await program.run("sync", "--server", server.address)
    let day = Workplace.day(40)
    let made = try await program.run(
      "reserve", "1003", "--on", day + "T10:00", "--note", "Tickets\n\n\u{1b}[2JWater\t2 l")
    let id = String(made.output.prefix(36))
    let shown = "    Tickets\n\n    [2JWater    2 l\n"
    #expect(
      made.output == "\(id)  \(day)T10:00  confirmed  Yosemite Falls  (not sent yet)\n" + shown)
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
    let changed = "Yosemite Falls  (not sent yet)\n    Tickets\n    Tent\n"
    #expect(input.code == 0 && input.output.hasSuffix(changed))
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
}
