import Foundation

extension ColumnKind {
  /// The Swift type that represents the kind when the declared type isn't known.
  package var valueType: any Any.Type {
    switch self {
    case .boolean: Bool.self
    case .integer, .reference, .presence: Int.self
    case .unsigned: UInt64.self
    case .real: Double.self
    case .date: Date.self
    case .text, .json: String.self
    case .data: Data.self
    case .uuid: UUID.self
    case .url: URL.self
    case .decimal: Decimal.self
    }
  }
}
