import Foundation
import SwiftData

/// A journey with its stops, as an app for iOS would have it: nothing here is about Linux.
@Model
public final class Trip {
  public var name: String
  public var start: Date
  public var end: Date
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) public var stops: [Stop] = []

  public init(name: String, start: Date, end: Date) {
    self.name = name
    self.start = start
    self.end = end
  }

  /// The trips that begin after a date, the next one first.
  public static func upcoming(after date: Date) -> FetchDescriptor<Trip> {
    FetchDescriptor(
      predicate: #Predicate { $0.start > date }, sortBy: [SortDescriptor(\.start)])
  }
}

/// A place on the way.
@Model
public final class Stop {
  @Attribute(.unique) public var place: String
  public var nights: Int
  public var trip: Trip?

  public init(place: String, nights: Int) {
    self.place = place
    self.nights = nights
  }
}
