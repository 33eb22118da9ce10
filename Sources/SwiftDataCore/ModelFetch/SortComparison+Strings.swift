import Foundation

/// The order of texts that a sort descriptor asks for.
package enum StringOrder: Equatable, Sendable {
  case lexical
  case localizedStandard

  /// - Parameter comparator: The descriptor's; nil, when it compares with `<`, means `localizedStandard`,
  ///   the default of descriptors of strings on Apple's systems.
  package init?(_ comparator: String.StandardComparator?) {
    guard let comparator else {
      self = .localizedStandard
      return
    }
    var forward = comparator
    forward.order = .forward
    guard forward == .lexical else { return nil }
    self = .lexical
  }

  /// The collation of the same order in SQL.
  package var collation: String {
    switch self {
    case .lexical: "OSD_UNICODE"
    case .localizedStandard: "OSD_LOCALIZED"
    }
  }

  package func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    switch self {
    case .lexical: PortableString.scalarCompare(lhs, rhs)
    case .localizedStandard: localizedStandardCompare(lhs, rhs)
    }
  }
}
