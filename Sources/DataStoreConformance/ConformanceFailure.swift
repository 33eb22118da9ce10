/// A rule of ``DataStore`` that a store breaks.
public struct ConformanceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The check's name, as in ``DataStoreConformance/Check/name``.
  public let check: String
  /// The behavior that the rule requires.
  public let expected: String
  /// The behavior that the store showed.
  public let found: String

  public var description: String { "\(check): expected \(expected), found \(found)." }
}
