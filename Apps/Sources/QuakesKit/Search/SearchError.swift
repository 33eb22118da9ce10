/// A term of a search that cannot be read, such as `m>x`.
public struct SearchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of fault.
  public struct Code: Hashable, Sendable {
    let name: String

    /// The value has another form than the term takes.
    public static let badValue = Code(name: "bad value")
    /// The upper end of a range is below the lower one.
    public static let emptyRange = Code(name: "empty range")
    /// No populated place has the name.
    public static let unknownPlace = Code(name: "unknown place")
    /// There are more places than a search takes.
    public static let tooMany = Code(name: "too many")
  }

  /// The kind of fault.
  public let code: Code
  /// The term as typed.
  public let term: String
  /// The fault and what is possible, in a sentence without a full stop.
  public let reason: String

  init(_ code: Code, _ term: String, _ reason: String) {
    self.code = code
    self.term = term
    self.reason = reason
  }

  public var description: String { "“\(term)”: \(reason)." }
}
