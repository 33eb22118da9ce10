import Foundation

/// The order of texts that a sort descriptor requests.
package enum StringOrder: Equatable, Sendable {
  case lexical
  case localizedStandard
  case localized

  /// - Parameter comparator: The descriptor's comparator; nil, which compares with `<`, means
  ///   `localizedStandard`, the default of descriptors of strings on Apple's systems.
  package init?(_ comparator: String.StandardComparator?) {
    guard let comparator else {
      self = .localizedStandard
      return
    }
    var forward = comparator
    forward.order = .forward
    switch forward {
    // First, because the other comparators are equal to it where they can't be made.
    case .lexical: self = .lexical
    case .localizedStandard: self = .localizedStandard
    case .localized: self = .localized
    default: return nil
    }
  }

  /// The collation of the same order in SQL.
  package var collation: String {
    switch self {
    case .lexical: "OSD_UNICODE"
    case .localizedStandard: "OSD_LOCALIZED"
    case .localized: "OSD_LOCALIZED_PLAIN"
    }
  }

  package func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    switch self {
    case .lexical: PortableString.scalarCompare(lhs, rhs)
    case .localizedStandard: localizedStandardCompare(lhs, rhs)
    case .localized: PortableString.localizedCompare(lhs, rhs)
    }
  }
}
