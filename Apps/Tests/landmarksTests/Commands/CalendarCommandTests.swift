import Foundation
import Testing

@testable import ProgramTesting

@Suite("Calendar and activity on the command line", .timeLimit(.minutes(20)))
struct CalendarCommandTests {
  @Test("calendar prints the visits, and activity what happened, here and elsewhere")
  func calendarAndActivity() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    _ = try await place.program.run("sync", "--server", server.address)
    let none = try await place.program.run("calendar")
    #expect(none.code == 0 && none.output.isEmpty && none.errors == "No reservations.\n")
    let day = Workplace.day(40)
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
}
