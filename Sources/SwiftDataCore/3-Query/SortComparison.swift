import Foundation

/// Compares two models like a store's ORDER BY.
package struct SortComparison<Model: PersistentModel> {
  /// The comparisons by each key, the most important first.
  private let keys: [(Model, Model) -> ComparisonResult]

  /// - Parameter descriptors: The keys, the most important first.
  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor`` for a key path with a forced unwrap that can't be checked
  ///   beforehand.
  package init(_ descriptors: [SortDescriptor<Model>]) throws {
    keys = try descriptors.map { try Self.comparison($0) }
  }

  package func compare(_ lhs: Model, _ rhs: Model) -> ComparisonResult {
    for key in keys {
      let result = key(lhs, rhs)
      if result != .orderedSame { return result }
    }
    return .orderedSame
  }

  private static func comparison(
    _ descriptor: SortDescriptor<Model>
  ) throws -> (Model, Model) -> ComparisonResult {
    let values = values(descriptor)
    guard let keyPath = descriptor.keyPath, ForcedPath.isForced(keyPath) else { return values }
    guard let path = ForcedPath(keyPath) else {
      throw SwiftDataError.unsupportedSortDescriptor.explained(
        "A sort of \(Model.self) unwraps a computed value by force, which would end the program at"
          + " nil. Use ? in place of ! in its key path.")
    }
    let isReversed = descriptor.order == .reverse
    func isNil(_ model: Model) -> Bool {
      path.meetsNil(model) || PropertyShape.content(of: model[keyPath: keyPath]) == nil
    }
    return { lhs, rhs in
      let result: ComparisonResult
      switch (isNil(lhs), isNil(rhs)) {
      case (true, true): return .orderedSame
      case (true, false): result = .orderedAscending
      case (false, true): result = .orderedDescending
      case (false, false): return values(lhs, rhs)
      }
      return isReversed ? result.reversed : result
    }
  }

  /// The comparison of the values at a descriptor's key path.
  private static func values(
    _ descriptor: SortDescriptor<Model>
  ) -> (Model, Model) -> ComparisonResult {
    // In an array, because an optimised build of a generic context that holds a descriptor directly needs a symbol that
    // Foundation on Linux doesn't export.
    let descriptors = [descriptor]
    let isReversed = descriptor.order == .reverse
    guard let compare = comparison(at: descriptor.keyPath, descriptor.stringComparator) else {
      return { descriptors[0].compare($0, $1) }
    }
    return { isReversed ? compare($0, $1).reversed : compare($0, $1) }
  }

  /// The forward comparison of values whose order isn't a descriptor's own; nil for others.
  private static func comparison(
    at keyPath: PartialKeyPath<Model>?, _ comparator: String.StandardComparator?
  ) -> ((Model, Model) -> ComparisonResult)? {
    switch keyPath {
    case let keyPath as KeyPath<Model, String>:
      guard let order = StringOrder(comparator) else { return nil }
      return { order.compare($0[keyPath: keyPath], $1[keyPath: keyPath]) }
    case let keyPath as KeyPath<Model, String?>:
      guard let order = StringOrder(comparator) else { return nil }
      return { nilFirst($0[keyPath: keyPath], $1[keyPath: keyPath], order.compare) }
    case let keyPath as KeyPath<Model, Double>:
      return { nanLast($0[keyPath: keyPath], $1[keyPath: keyPath]) }
    case let keyPath as KeyPath<Model, Double?>:
      return { nilFirst($0[keyPath: keyPath], $1[keyPath: keyPath], nanLast) }
    case let keyPath as KeyPath<Model, Date>:
      return { nanLast(seconds($0[keyPath: keyPath]), seconds($1[keyPath: keyPath])) }
    case let keyPath as KeyPath<Model, Date?>:
      return { lhs, rhs in
        nilFirst(lhs[keyPath: keyPath], rhs[keyPath: keyPath]) { nanLast(seconds($0), seconds($1)) }
      }
    case let keyPath as KeyPath<Model, Float>:
      return { nanLast($0[keyPath: keyPath], $1[keyPath: keyPath]) }
    case let keyPath as KeyPath<Model, Float?>:
      return { nilFirst($0[keyPath: keyPath], $1[keyPath: keyPath], nanLast) }
    case let keyPath as KeyPath<Model, PersistentIdentifier>:
      // A class and its subclasses share a table, in the order of whose rows a store returns them.
      return { PersistentIdentifier.compareRows($0[keyPath: keyPath], $1[keyPath: keyPath]) }
    default: return nil
    }
  }
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
