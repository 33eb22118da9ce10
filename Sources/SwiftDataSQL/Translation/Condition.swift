/// A truth value in SQL, never NULL.
struct Condition {
  enum Form {
    /// Needs no parentheses in any context.
    case atom
    case conjunction
    case disjunction
  }

  var fragment: SQLFragment
  let dialect: any SQLDialect
  var form = Form.atom
  /// The truth value where it is already known.
  var constant: Bool?
  /// The opposite, where it has a better form than NOT.
  var opposite: SQLFragment?
  /// Where the Swift value is a `Bool?`: the condition under which it isn't nil. nil: never nil.
  var presence: SQLFragment?
  /// SQL of the values that are certainly not nil when the condition is true, and when it is false.
  var nonNilWhenTrue: [String] = []
  var nonNilWhenFalse: [String] = []

  init(_ fragment: SQLFragment, form: Form = .atom, in dialect: any SQLDialect) {
    self.fragment = fragment
    self.form = form
    self.dialect = dialect
  }

  init(_ constant: Bool, in dialect: any SQLDialect) {
    fragment = SQLFragment(dialect.truth(constant))
    self.constant = constant
    self.dialect = dialect
  }

  /// The truth of a stored truth value.
  init(stored term: Term, in dialect: any SQLDialect) throws(Untranslatable) {
    try term.checkEncoding(.boolean)
    self.init(term.fragment.appending(" = " + dialect.truth(true)), in: dialect)
    if term.isColumn { opposite = term.fragment.appending(" = " + dialect.truth(false)) }
  }

  /// The SQL with parentheses where an operand of AND or OR, or a comparison, needs them.
  consuming func operand(of outer: Form) -> SQLFragment {
    if form == .atom || form == outer { return fragment }
    return fragment.enclosed("(", ")")
  }

  consuming func and(_ other: consuming Condition) -> Condition {
    if constant == true { return other }
    if other.constant == true || constant == false { return self }
    if fragment.canFail || other.fragment.canFail { return inOrder(other, isConjunction: true) }
    // `x AND false` is false whatever x is.
    if other.constant == false { return other }
    return joined(other, " AND ", .conjunction)
  }

  consuming func or(_ other: consuming Condition) -> Condition {
    if constant == false { return other }
    if other.constant == false || constant == true { return self }
    if fragment.canFail || other.fragment.canFail { return inOrder(other, isConjunction: false) }
    if other.constant == true { return other }
    return joined(other, " OR ", .disjunction)
  }

  /// AND and OR may evaluate their operands in any order; CASE may not
  /// (https://sqlite.org/lang_expr.html#case). In a conjunction, a left operand that can't fail is
  /// also placed before the CASE, where an index can use it.
  private consuming func inOrder(
    _ other: consuming Condition, isConjunction: Bool
  ) -> Condition {
    let dialect = dialect
    let whenTrue = isConjunction ? nonNilWhenTrue + other.nonNilWhenTrue : []
    let whenFalse = isConjunction ? [] : nonNilWhenFalse + other.nonNilWhenFalse
    let choice =
      isConjunction
      ? fragment.enclosed("CASE WHEN ", " THEN ")
        .appending("", other.fragment, " ELSE \(dialect.truth(false)) END")
      : fragment.enclosed("CASE WHEN ", " THEN \(dialect.truth(true)) ELSE ")
        .appending("", other.fragment, " END")
    var result = Condition(choice, in: dialect)
    if isConjunction, !fragment.canFail {
      result = Condition(
        operand(of: .conjunction).appending(" AND ", choice), form: .conjunction, in: dialect)
    }
    result.nonNilWhenTrue = whenTrue
    result.nonNilWhenFalse = whenFalse
    return result
  }

  private consuming func joined(
    _ other: consuming Condition, _ operation: String, _ form: Form
  ) -> Condition {
    let dialect = dialect
    let whenTrue = form == .conjunction ? nonNilWhenTrue + other.nonNilWhenTrue : []
    let whenFalse = form == .disjunction ? nonNilWhenFalse + other.nonNilWhenFalse : []
    let right = other.operand(of: form)
    var result = Condition(operand(of: form).appending(operation, right), form: form, in: dialect)
    result.nonNilWhenTrue = whenTrue
    result.nonNilWhenFalse = whenFalse
    return result
  }

  func negated() -> Condition {
    if let constant { return Condition(!constant, in: dialect) }
    var result: Condition
    if let opposite {
      result = Condition(opposite, in: dialect)
      result.opposite = fragment
    } else {
      result = Condition(fragment.enclosed("NOT (", ")"), in: dialect)
      // NOT binds weaker than the comparison operators, stronger than AND and OR.
    }
    result.nonNilWhenTrue = nonNilWhenFalse
    result.nonNilWhenFalse = nonNilWhenTrue
    return result
  }

  /// The truth value as a SQL value that can be used anywhere.
  var value: SQLFragment {
    let enclosed = fragment.enclosed("(", ")")
    guard let presence else { return enclosed }
    return presence.enclosed("(CASE WHEN ", " THEN ").appending("", fragment, " END)")
  }

  var term: Term { Term(value, .boolean, isOptional: presence != nil) }
}
