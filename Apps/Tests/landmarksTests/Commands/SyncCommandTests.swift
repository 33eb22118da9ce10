import Foundation
import Testing

@testable import ProgramTesting

@Suite("Exchanges by the command line", .timeLimit(.minutes(20)))
struct SyncCommandTests {
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
    let made = try await place.program.run("reserve", "1003", "--on", Workplace.day(40))
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

  @Test("sync and status print the dates that are free for a refused visit, and how one is chosen")
  func freeDates() async throws {
    let place = try Workplace()
    let server = try await place.serve("--places-a-day", "1")
    let address = server.address
    _ = try await place.program.run("sync", "--server", address)
    _ = try await place.program.run("reserve", "1003", "--on", Workplace.day(40) + "T10:00")
    _ = try await place.program.run("sync", "--server", address)
    let made = try await place.program.run("reserve", "1003", "--on", Workplace.day(40) + "T11:00")
    let id = String(made.output.prefix(36))
    let first = Workplace.day(41) + "T11:00"
    let free =
      "Free: \(first), \(Workplace.day(42))T11:00, \(Workplace.day(43))T11:00 "
      + "(landmarks reserve --change \(id) --on \(first))\n"
    #expect(try await place.program.run("sync", "--server", address).output.hasSuffix("  " + free))
    let status = try await place.program.run("status")
    #expect(status.output.contains(" are free.\n    " + free))
    // A refused visit doesn't look like one that the server has.
    let visits = try await place.program.run("reserve").output
    #expect(visits.contains("T10:00  confirmed  Yosemite Falls\n"))
    #expect(
      visits.contains(
        "T11:00  confirmed  Yosemite Falls  (refused: `landmarks status` says why)\n"))
    // As it is printed, the command works.
    _ = try await place.program.run("reserve", "--change", id, "--on", first)
    let last = try await place.program.run("sync", "--server", address)
    #expect(last.output.contains("1 change sent") && last.output.contains("0 waiting"))
    #expect(try await !place.program.run("status").output.contains("Free"))
    #expect(try await !place.program.run("reserve").output.contains("refused"))
    try await server.stop()
  }
}
