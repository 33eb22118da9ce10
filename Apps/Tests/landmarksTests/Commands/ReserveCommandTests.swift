import Foundation
import LandmarksKit
import Testing

@testable import landmarks

@Suite("Times of visits on the command line")
struct ReserveCommandTests {
  @Test(
    "A time is local, with a blank or a T, and a day alone is nine in the morning",
    arguments: [
      ("2027-06-01T10:00", "2027-06-01T10:00"), ("2027-06-01 10:00", "2027-06-01T10:00"),
      ("2027-06-01T10:00:00", "2027-06-01T10:00"), ("2027-06-01", "2027-06-01T09:00"),
    ])
  func times(text: String, shown: String) throws {
    #expect(try ReserveCommand.text(ReserveCommand.moment(text)) == shown)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "", "someday", "2027-06-01T10:00Z", "2027-06-01T10:00:30", "2027-06-01T25:00", "2030-02-31",
      "2027-06-01  10:00", "2027-06-01 10", "2027-06-01T10:00:00:00",
    ])
  func refused(text: String) throws {
    let error = try #require(throws: LandmarksError.self) { try ReserveCommand.moment(text) }
    #expect(error.code == .invalidArgument && error.description.contains("use a local time"))
  }
}
