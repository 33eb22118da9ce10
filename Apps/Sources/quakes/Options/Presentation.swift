import ArgumentParser
import Foundation
import QuakesKit

/// The option for the unit of what is printed for people.
struct UnitOption: ParsableArguments {
  @Flag(help: "Print distances and depths in miles; options and other formats stay in kilometres.")
  var miles = false

  var unit: DistanceUnit { miles ? .miles : .kilometres }
}

/// The options for times and distances that are printed for people.
struct Presentation: ParsableArguments {
  @Flag(help: "Print times in UTC, not in this machine's zone.")
  var utc = false

  @OptionGroup var units: UnitOption

  var zone: TimeZone { utc ? .gmt : .current }
  var unit: DistanceUnit { units.unit }
}

/// The columns that a user chooses.
struct ColumnList: Hashable {
  /// The names of all columns.
  static let names = EventColumn.allCases.map(\.rawValue).joined(separator: ", ")

  let columns: [EventColumn]

  /// Reads names with commas between them.
  /// - Throws: `ValidationError` for an unknown or repeated name.
  init(_ text: String) throws {
    var columns: [EventColumn] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = name.trimmingCharacters(in: .whitespaces)
      guard let column = EventColumn(rawValue: name) else {
        throw ValidationError("There is no column “\(name)”; the columns are \(Self.names).")
      }
      guard !columns.contains(column) else {
        throw ValidationError("The column \(name) is there twice.")
      }
      columns.append(column)
    }
    self.columns = columns
  }
}
