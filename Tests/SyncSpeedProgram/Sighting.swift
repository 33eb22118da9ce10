import Foundation
import SwiftData
import SwiftDataSync

/// An object as large as those of the applications: a key, a date, numbers, texts of one line.
@Model
final class Sighting {
  @Attribute(.unique) var key: UUID
  var place: String
  var title: String
  var time: Date
  var guests: Int
  var rating: Double
  var isPublic: Bool
  var remark: String?

  /// Creates the object of a number; equal numbers create equal objects.
  init(_ number: Int) {
    // Knuth's multiplicative hash spreads neighbouring numbers.
    let random = UInt64(UInt32(truncatingIfNeeded: number &* 2_654_435_761))
    key = withUnsafeBytes(of: (random.bigEndian, UInt64(number).bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
    place = "place-\(random % 5_000)"
    title = "\(random % 200) km NNW of a town with number \(random % 5_000), CA"
    time = Date(timeIntervalSinceReferenceDate: Double(random % 1_000_000_000) / 8)
    guests = Int(random % 12)
    rating = Double(random % 1_000) / 100
    isPublic = number % 3 == 0
    remark = number % 5 == 0 ? "seen at dawn, far away" : nil
  }

  static let models = [SyncedModel(Sighting.self, key: \.key)]

  static func container(_ file: URL) throws -> ModelContainer {
    try ModelContainer(for: Sighting.self, configurations: ModelConfiguration(url: file))
  }
}
