/// Conditions on the beginning of a text that an index can answer.
enum StringRange {
  /// The strings whose bytes begin with `prefix`, which is ASCII; nil when all strings match.
  static func beginning(
    with prefix: String, _ text: SQLFragment, in dialect: any SQLDialect
  ) -> Condition? {
    guard let end = TextConstant.upperBound(of: prefix) else { return nil }
    func compare(_ comparison: SQLComparison, _ bound: String) -> Condition {
      let parameter = SQLFragment(binding: .text(bound))
      return Condition(dialect.compare(text, comparison, parameter, by: .stored), in: dialect)
    }
    return compare(.greaterOrEqual, prefix).and(compare(.less, end))
  }
}
