import SwiftDataCore

/// The two operators that join conditions.
enum Joining {
  case conjunction, disjunction

  /// The approximation that results when one part of the condition is left out.
  var approximation: Translation.Approximation {
    switch self {
    case .conjunction: .superset
    case .disjunction: .subset
    }
  }

  /// The columns that aren't nil where the right part is evaluated.
  func known(from left: Condition) -> [String] {
    switch self {
    case .conjunction: left.nonNilWhenTrue
    case .disjunction: left.nonNilWhenFalse
    }
  }

  func join(_ left: Condition, _ right: Condition) -> Condition {
    switch self {
    case .conjunction: left.and(right)
    case .disjunction: left.or(right)
    }
  }
}

extension Translation {
  /// Both parts as one condition. Where an approximation is allowed, a part without a translation is left out.
  mutating func joined(
    _ lhs: PredicateNode, _ rhs: PredicateNode, as joining: Joining
  ) throws(Untranslatable) -> Operand {
    let left: Condition
    let reasons = reasons.count
    do {
      left = try condition(lhs)
    } catch {
      guard approximation == joining.approximation else { throw error }
      let right = try condition(rhs)
      // The left part may prevent the right part from failing.
      if right.fragment.canFail { throw error }
      self.reasons.append(error.reason)
      return .condition(right)
    }
    let isApproximate = self.reasons.count > reasons
    do throws(Untranslatable) {
      let right = try assumingNonNil(joining.known(from: left)) {
        (inner) throws(Untranslatable) in try inner.condition(rhs)
      }
      if right.fragment.canFail, isApproximate, approximation == joining.approximation {
        throw Untranslatable(
          "arithmetic may fail where a part that SQL can't do keeps it from that")
      }
      return .condition(joining.join(left, right))
    } catch {
      guard approximation == joining.approximation else { throw error }
      self.reasons.append(error.reason)
      return .condition(left)
    }
  }
}
