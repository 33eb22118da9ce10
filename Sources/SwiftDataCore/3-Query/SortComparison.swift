import Foundation

/// Compares two models like a store's ORDER BY.
package enum SortComparison {
  /// - Parameters:
  ///   - lhs: One model.
  ///   - rhs: The other.
  ///   - descriptors: The keys, the most important first.
  package static func compare<Model>(
    _ lhs: Model, _ rhs: Model, by descriptors: [SortDescriptor<Model>]
  ) -> ComparisonResult {
    for descriptor in descriptors {
      let result = compareValues(lhs, rhs, by: descriptor)
      if result != .orderedSame { return result }
    }
    return .orderedSame
  }
}

private func compareValues<Model>(
  _ lhs: Model, _ rhs: Model, by descriptor: SortDescriptor<Model>
) -> ComparisonResult {
  let result: ComparisonResult
  switch descriptor.keyPath {
  case let keyPath as KeyPath<Model, String>:
    guard let order = StringOrder(descriptor.stringComparator) else {
      return descriptor.compare(lhs, rhs)
    }
    result = order.compare(lhs[keyPath: keyPath], rhs[keyPath: keyPath])
  case let keyPath as KeyPath<Model, String?>:
    guard let order = StringOrder(descriptor.stringComparator) else {
      return descriptor.compare(lhs, rhs)
    }
    result = nilFirst(lhs[keyPath: keyPath], rhs[keyPath: keyPath], order.compare)
  case let keyPath as KeyPath<Model, Double>:
    result = nanLast(lhs[keyPath: keyPath], rhs[keyPath: keyPath])
  case let keyPath as KeyPath<Model, Double?>:
    result = nilFirst(lhs[keyPath: keyPath], rhs[keyPath: keyPath], nanLast)
  case let keyPath as KeyPath<Model, Date>:
    result = nanLast(seconds(lhs[keyPath: keyPath]), seconds(rhs[keyPath: keyPath]))
  case let keyPath as KeyPath<Model, Date?>:
    result = nilFirst(lhs[keyPath: keyPath], rhs[keyPath: keyPath]) {
      nanLast(seconds($0), seconds($1))
    }
  case let keyPath as KeyPath<Model, Float>:
    result = nanLast(lhs[keyPath: keyPath], rhs[keyPath: keyPath])
  case let keyPath as KeyPath<Model, Float?>:
    result = nilFirst(lhs[keyPath: keyPath], rhs[keyPath: keyPath], nanLast)
  default: return descriptor.compare(lhs, rhs)
  }
  return descriptor.order == .reverse ? result.reversed : result
}

private func seconds(_ date: Date) -> Double { date.timeIntervalSinceReferenceDate }

private func nilFirst<Value>(
  _ lhs: Value?, _ rhs: Value?, _ compare: (Value, Value) -> ComparisonResult
) -> ComparisonResult {
  switch (lhs, rhs) {
  case (nil, nil): return .orderedSame
  case (nil, _): return .orderedAscending
  case (_, nil): return .orderedDescending
  case (let left?, let right?): return compare(left, right)
  }
}

/// Compares numbers. NaN, which has no place in their order, comes after all of them.
package func nanLast<Number: BinaryFloatingPoint>(_ lhs: Number, _ rhs: Number) -> ComparisonResult
{
  if lhs < rhs { return .orderedAscending }
  if lhs > rhs { return .orderedDescending }
  switch (lhs.isNaN, rhs.isNaN) {
  case (false, true): return .orderedAscending
  case (true, false): return .orderedDescending
  default: return .orderedSame
  }
}

extension ComparisonResult {
  fileprivate var reversed: ComparisonResult {
    switch self {
    case .orderedAscending: .orderedDescending
    case .orderedDescending: .orderedAscending
    case .orderedSame: .orderedSame
    }
  }
}
