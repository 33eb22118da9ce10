import Foundation
import Testing

@testable import ProgramTesting

@Suite("Photos on the command line", .timeLimit(.minutes(20)))
struct PhotoCommandTests {
  @Test("photos are added, listed, exchanged, saved and removed; other files are refused")
  func photos() async throws {
    let place = try Workplace()
    let program = place.program
    let server = try await place.serve()
    _ = try await program.run("sync", "--server", server.address)
    let made = try await program.run("reserve", "1003", "--on", Workplace.day(40))
    let visit = String(made.output.prefix(36))
    let none = try await program.run("photo", visit)
    #expect(none.code == 0 && none.output.isEmpty && none.errors == "No photos.\n")
    let wrong = try await program.run("photo", visit, place.folder.path)
    #expect(wrong.code == 74 && wrong.errors.hasSuffix("this is a folder, not a photo\n"))
    let missing = try await program.run("photo", visit, "\(place.folder.path)/none.jpg")
    #expect(missing.code == 74 && missing.errors.hasSuffix("none.jpg: No such file or directory\n"))
    let data = SamplePhotos.jpeg(4_000, 3_000, count: 600_000)
    let file = place.folder.appendingPathComponent("dome.jpg")
    try data.write(to: file)
    let added = try await program.run("photo", visit, file.path, "--caption", "From \u{1b}[2Jbelow")
    let id = String(added.output.prefix(36))
    let shown = "  jpeg 4000 × 3000  600 kB  From [2Jbelow  (not sent yet)\n"
    #expect(added.code == 0 && added.output.hasSuffix(shown))
    #expect(try await program.run("photo", visit).output == added.output)
    #expect(try await program.run("photo", String(visit.prefix(13))).output == added.output)
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
    // Existing files are left as they are.
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
    let removed = try await program.run("photo", "--remove", id)
    #expect(removed.code == 0 && removed.output == "removed: \(id)  a photo of Yosemite Falls\n")
    let gone = try await program.run("photo", "--remove", id)
    #expect(gone.code == 1 && gone.errors.hasSuffix("there is no such photo in the store\n"))
    #expect(try await program.run("photo", visit).errors == "No photos.\n")
    let ended = try await program.run("reserve", "--remove", String(visit.prefix(18)))
    #expect(ended.code == 0 && ended.output.hasPrefix("removed: \(visit)  "))
    #expect(try await program.run("reserve", "--remove", visit).code == 1)
    try await server.stop()
  }
}
