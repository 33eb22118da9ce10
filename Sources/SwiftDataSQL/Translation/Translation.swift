import Foundation
import SwiftDataCore

/// The state of one translation.
struct Translation {
  typealias VariableID = PredicateExpressions.VariableID

  /// The approximation that may be used: a superset, a subset, or none.
  enum Approximation {
    case superset
    case subset
    case none

    var opposite: Approximation {
      switch self {
      case .superset: .subset
      case .subset: .superset
      case .none: .none
      }
    }
  }

  let names: EntityNames
  let plans: [ObjectIdentifier: EntityPlan]
  let storeIdentifier: String?
  /// The model types whose rows differ from the models in the context.
  let changed: Set<ObjectIdentifier>
  let dialect: any SQLDialect
  var approximation = Approximation.superset
  /// The parts left out of the condition, with the reason.
  var reasons: [String] = []
  private var variables: [(key: PredicateExpressions.VariableID, operand: Operand)] = []
  /// SQL of values that are known not to be nil at the current node.
  private var nonNil: [String] = []
  private var aliases = 0

  init(
    names: EntityNames, plans: [ObjectIdentifier: EntityPlan], storeIdentifier: String?,
    changed: Set<ObjectIdentifier>, root: PredicateExpressions.VariableID,
    dialect: any SQLDialect
  ) {
    self.names = names
    self.plans = plans
    self.storeIdentifier = storeIdentifier
    self.changed = changed
    self.dialect = dialect
    variables.append((root, .model(ModelReference(names, row: "t0"))))
  }

  mutating func condition(_ node: PredicateNode) throws(Untranslatable) -> Condition {
    switch try operand(node) {
    case .condition(let condition): return condition
    case .constant(let value):
      guard let truth = value as? Bool else {
        throw Untranslatable("a constant isn't a truth value")
      }
      return Condition(truth, in: dialect)
    case .term(let term): return try Condition(stored: term, in: dialect)
    case .model, .composite, .range, .elements:
      throw Untranslatable("a truth value is expected")
    }
  }

  /// A condition that must be exact, because it isn't a conjunct of the whole predicate.
  mutating func exactCondition(_ node: PredicateNode) throws(Untranslatable) -> Condition {
    let outer = approximation
    approximation = .none
    defer { approximation = outer }
    return try condition(node)
  }

  func variable(_ key: PredicateExpressions.VariableID) throws(Untranslatable) -> Operand {
    for variable in variables.reversed() where variable.key == key { return variable.operand }
    throw Untranslatable("a variable belongs to another predicate")
  }

  /// Translates a part in which a variable of a nested closure is bound to `operand`.
  mutating func binding<Result>(
    _ key: PredicateExpressions.VariableID, to operand: Operand,
    _ body: (inout Translation) throws(Untranslatable) -> Result
  ) throws(Untranslatable) -> Result {
    variables.append((key, operand))
    defer { variables.removeLast() }
    return try body(&self)
  }

  /// Translates a part that is reached only where `facts` aren't nil.
  mutating func assumingNonNil<Result>(
    _ facts: [String], _ body: (inout Translation) throws(Untranslatable) -> Result
  ) throws(Untranslatable) -> Result {
    if facts.isEmpty { return try body(&self) }
    let count = nonNil.count
    nonNil += facts
    defer { nonNil.removeSubrange(count...) }
    return try body(&self)
  }

  /// A unique alias for the rows of a subquery.
  mutating func nextAlias() -> String {
    aliases += 1
    return "r\(aliases)"
  }

  func isKnownNonNil(_ sql: String) -> Bool { nonNil.contains(sql) }
}
