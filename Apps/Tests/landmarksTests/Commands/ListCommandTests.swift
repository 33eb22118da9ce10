import Foundation
import Testing

@testable import ProgramTesting

@Suite("The list on the command line", .timeLimit(.minutes(20)))
struct ListCommandTests {
  @Test("the columns of list begin at the same place in every line, and counts have their words")
  func columns() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    _ = try await place.program.run("sync", "--server", server.address)
    _ = try await place.program.run("favorite", "1002")
    let unsent = try await place.program.run("list", "--favorites")
    #expect(unsent.output.hasPrefix("♥ 1002  El Capitan "))
    #expect(unsent.output.hasSuffix("  (not sent yet)\n"))
    let one = try await place.program.run("sync", "--server", server.address)
    #expect(one.output == "0 landmarks new or changed, 1 change sent, 0 received, 0 waiting\n")
    let list = try await place.program.run("list")
    #expect(!list.output.contains("(not sent yet)"))
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

    // Kinds and states in any case; other states are told those that there are.
    let lakes = try await place.program.run("list", "--category", "Lakes", "--state", "CALIFORNIA")
    #expect(
      try await lakes.output
        == place.program.run("list", "--category", "lakes", "--state", "California").output)
    #expect(lakes.code == 0 && !lakes.output.isEmpty)
    let mistyped = try await place.program.run("list", "--state", "CA")
    #expect(mistyped.code == 64 && mistyped.errors.contains("--state CA: there are "))
    #expect(mistyped.errors.contains(", California, "))
    try await server.stop()
  }
}
