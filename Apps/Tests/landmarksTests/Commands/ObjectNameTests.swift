import Foundation
import LandmarksKit
import Testing

@testable import landmarks

@Suite("Identifiers on the command line")
struct ObjectNameTests {
  private static let known = [
    "5F0C9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C", "5F0C1111-5F0C-4E0A-9F0C-5F0C9E0A5F0C",
    "81AA9E0A-5F0C-4E0A-9F0C-5F0C9E0A5F0C",
  ].compactMap(UUID.init(uuidString:))

  private static func id(_ text: String) throws -> UUID {
    try ObjectName.reservation.identifier(text) { known }
  }

  @Test("A beginning that only one has stands for it, in capitals or not")
  func beginnings() throws {
    #expect(try Self.known.count == 3 && Self.id("81AA") == Self.known[2])
    #expect(try Self.id("5f0c9e0a-5f") == Self.known[0])
    // Whole ones needn't be there: the command says so.
    let other = UUID()
    #expect(try Self.id(other.uuidString) == other)
  }

  @Test(
    "Other texts are refused with what is wrong",
    arguments: [
      ("5F0C", "2 reservations begin so; give more digits", LandmarksError.Code.invalidArgument),
      ("ABCD", "no reservation in the store begins so; `landmarks reserve` prints", .notFound),
      ("81A", "not the identifier of a reservation, nor four or more digits", .invalidArgument),
      ("81AX", "not the identifier of a reservation", .invalidArgument),
      ("", "not the identifier of a reservation", .invalidArgument),
    ])
  func refused(text: String, reason: String, code: LandmarksError.Code) throws {
    let error = try #require(throws: LandmarksError.self) { try Self.id(text) }
    #expect(error.code == code && error.description.contains(reason), "\(error)")
  }
}
