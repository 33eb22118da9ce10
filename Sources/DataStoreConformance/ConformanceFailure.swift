/// A rule of ``DataStore`` that a store breaks.
public struct ConformanceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The check's name, as in ``DataStoreConformance/Check/name``.
  public let check: String
  /// What the rule says.
  public let expected: String
  /// What the store did.
  public let found: String

  public var description: String { "\(check): expected \(expected), found \(found)." }
}
