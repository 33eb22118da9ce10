import SwiftDataCore

extension Translation {
  /// - Parameter type: The type of the branches.
  mutating func conditional(
    _ test: PredicateNode, _ trueBranch: PredicateNode, _ falseBranch: PredicateNode,
    _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    let test = try exactCondition(test)
    if let known = test.constant {
      return try known ? operand(trueBranch) : operand(falseBranch)
    }
    if type == Bool.self {
      let yes = try assumingNonNil(test.nonNilWhenTrue) {
        (inner) throws(Untranslatable) in try inner.exactCondition(trueBranch)
      }
      let no = try assumingNonNil(test.nonNilWhenFalse) {
        (inner) throws(Untranslatable) in try inner.exactCondition(falseBranch)
      }
      return .condition(choice(test, yes, no))
    }
    let yes = try assumingNonNil(test.nonNilWhenTrue) {
      (inner) throws(Untranslatable) in try inner.operand(trueBranch)
    }
    let no = try assumingNonNil(test.nonNilWhenFalse) {
      (inner) throws(Untranslatable) in try inner.operand(falseBranch)
    }
    return .term(try term(test, yes, no, type))
  }

  private func choice(_ test: Condition, _ yes: Condition, _ no: Condition) -> Condition {
    if no.constant == false { return test.and(yes) }
    if yes.constant == true { return test.or(no) }
    return Condition(
      test.fragment.enclosed("CASE WHEN ", " THEN ").appending("", yes.fragment)
        .appending(" ELSE ", no.fragment, " END"), in: test.dialect)
  }

  private func term(
    _ test: Condition, _ yes: Operand, _ no: Operand, _ type: any Any.Type
  ) throws(Untranslatable) -> Term {
    let kind: TermKind
    switch (yes, no) {
    case (.term(let term), _), (_, .term(let term)): kind = term.kind
    case (.constant, .constant):
      guard let known = TermKind(ofConstants: type) else { fallthrough }
      kind = known
    default: throw Untranslatable("the branches of a choice are not single values")
    }
    let first = try yes.term(as: kind)
    let second = try no.term(as: kind)
    return Term(
      dialect.choice(test.fragment, first.fragment, second.fragment), kind,
      isOptional: first.isOptional || second.isOptional)
  }
}

extension TermKind {
  /// The kind of constants of `type`.
  init?(ofConstants type: any Any.Type) {
    guard let encoding = PropertyShape.scalarKind(of: PropertyShape.unwrapped(type).type) else {
      return nil
    }
    self.init(encoding: encoding, type: type)
  }
}

extension Operand {
  /// The operand as one SQL value of `kind`.
  func term(as kind: TermKind) throws(Untranslatable) -> Term {
    switch self {
    case .term(let term):
      try term.checkEncoding(kind.encoding)
      return term
    case .constant(let value):
      let value = try ConstantEncoding.encode(value, as: kind)
      return Term(SQLFragment(binding: value), kind, isOptional: value == .null)
    case .condition(let condition):
      let term = condition.term
      try term.checkEncoding(kind.encoding)
      return term
    case .model, .composite, .range, .elements:
      throw Untranslatable("a single value is expected")
    }
  }
}
