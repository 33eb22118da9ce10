import Foundation
import SwiftDataCore

extension Translation {
  mutating func rangeContains(
    _ range: PredicateNode, _ element: PredicateNode
  ) throws(Untranslatable) -> Operand {
    let value = try operand(element)
    let bounds: RangeBounds
    switch try operand(range) {
    case .range(let known): bounds = known
    case .constant(let captured):
      guard let known = captured as? any CapturedRange else {
        throw Untranslatable("a captured \(type(of: captured)) has no bounds that SQL knows")
      }
      bounds = known.bounds
    default: throw Untranslatable("a stored range is known to Swift only")
    }
    guard case .term = value else { throw Untranslatable("a range is asked for a captured value") }
    var result = Condition(true, in: dialect)
    if let lower = bounds.lower {
      result = result.and(
        try Ordering.condition(value, .greaterThanOrEqual, .constant(lower), in: dialect))
    }
    if let upper = bounds.upper {
      let op =
        bounds.includesUpper
        ? PredicateExpressions.ComparisonOperator.lessThanOrEqual : .lessThan
      result = result.and(try Ordering.condition(value, op, .constant(upper), in: dialect))
    }
    return .condition(result)
  }
}

/// The range types of the standard library.
protocol CapturedRange {
  var bounds: RangeBounds { get }
}

extension Range: CapturedRange {
  var bounds: RangeBounds {
    RangeBounds(lower: lowerBound, upper: upperBound, includesUpper: false)
  }
}

extension ClosedRange: CapturedRange {
  var bounds: RangeBounds {
    RangeBounds(lower: lowerBound, upper: upperBound, includesUpper: true)
  }
}

extension PartialRangeFrom: CapturedRange {
  var bounds: RangeBounds {
    RangeBounds(lower: lowerBound, upper: nil, includesUpper: false)
  }
}

extension PartialRangeThrough: CapturedRange {
  var bounds: RangeBounds {
    RangeBounds(lower: nil, upper: upperBound, includesUpper: true)
  }
}

extension PartialRangeUpTo: CapturedRange {
  var bounds: RangeBounds {
    RangeBounds(lower: nil, upper: upperBound, includesUpper: false)
  }
}
