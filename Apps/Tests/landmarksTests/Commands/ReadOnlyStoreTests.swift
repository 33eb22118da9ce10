import Foundation
import Testing

@testable import ProgramTesting

@Suite("Commands on a store that can't be written", .timeLimit(.minutes(20)))
struct ReadOnlyStoreTests {
  @Test("what only reads prints the same as otherwise, and what writes says why it can't")
  func readOnlyFolder() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    let program = place.program
    _ = try await program.run("sync", "--server", server.address)
    try await server.stop()
    _ = try await program.run("favorite", "1002")
    let made = try await program.run(
      "reserve", "1003", "--on", Workplace.day(40), "--note", "Water")
    let visit = String(made.output.prefix(36))
    let photo = place.folder.appendingPathComponent("dome.png")
    try SamplePhotos.png().write(to: photo)
    _ = try await program.run("photo", visit, photo.path)
    let reading = [
      "list", "list --json", "status", "status --json", "activity", "activity --json", "reserve",
      "reserve --json", "note \(visit)", "note \(visit) --json", "photo \(visit)",
      "photo \(visit) --json",
    ]
    let commands = reading.map { "landmarks \($0)" }.joined(separator: " && ")
    let open = try await program.shell(commands)
    let files = program.files()
    let sealed = try await program.shell(commands, sealing: place.folder)
    // A minute may have passed.
    let age = /Updated (just now|\d+ min ago)/
    #expect(sealed.output.replacing(age, with: "") == open.output.replacing(age, with: ""))
    #expect(open.output.contains("3 changes wait:") && open.output.contains("\nWater\n"))
    // Its time stamps are those of the export.
    let calendar = try await program.shell("landmarks calendar", sealing: place.folder)
    #expect(calendar.output.contains("BEGIN:VEVENT") && calendar.output.contains("Water"))
    for command in ["favorite 1003", "note \(visit) Rope", "photo --remove \(visit)", "sync"] {
      let told = try await program.shell(
        "landmarks \(command) 2>&1; echo $?", sealing: place.folder)
      #expect(told.output.contains("the store cannot be opened: "), "\(told.output)")
      #expect(told.output.hasSuffix("\n74\n"), "\(told.output)")
    }
    #expect(program.files() == files)
  }

  @Test("a store of an earlier version is told, with what brings it up to date")
  func earlierVersion() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    _ = try await place.program.run("sync", "--server", server.address)
    try await server.stop()
    try place.change("a.store", "DROP TABLE _sync_resolution")
    let told = try await place.program.shell(
      "landmarks status 2>&1; echo $?", sealing: place.folder)
    #expect(
      told.output.contains("an earlier version made it; `landmarks sync` brings it up to date"),
      "\(told.output)")
    #expect(told.output.hasSuffix("\n74\n"))
    #expect(try await place.program.run("status").code == 0)
  }
}
