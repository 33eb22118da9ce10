/// Conditions on the beginning of a text that an index can answer.
enum StringRange {
  /// The strings whose bytes begin with `prefix`, which is ASCII; nil when all strings match.
  static func beginning(with prefix: String, _ text: SQLFragment) -> Condition? {
    guard let end = TextConstant.upperBound(of: prefix) else { return nil }
    let from = Condition(text.appending(" >= ", SQLFragment(binding: .text(prefix))))
    return from.and(Condition(text.appending(" < ", SQLFragment(binding: .text(end)))))
  }
}
