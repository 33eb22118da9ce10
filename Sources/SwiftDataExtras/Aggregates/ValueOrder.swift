import Foundation
import SwiftDataCore

/// The order of any two values of one type: that of sorted fetches, except that texts are ordered by `<`.
enum ValueOrder {
  /// Compares two values. nil comes first, NaN last, false before true; types without an order are compared by raw
  /// value, models by identifier, and values of any other type count as equal.
  static func compare<Value>(_ lhs: Value, _ rhs: Value) -> ComparisonResult {
    switch (PropertyShape.content(of: lhs), PropertyShape.content(of: rhs)) {
    case (nil, nil): .orderedSame
    case (nil, _): .orderedAscending
    case (_, nil): .orderedDescending
    case (let left?, let right?): compareContents(left, right)
    }
  }

  private static func compareContents(_ lhs: Any, _ rhs: Any) -> ComparisonResult {
    switch (lhs, rhs) {
    case (let left as String, let right as String): PortableString.scalarCompare(left, right)
    case (let left as Double, let right as Double): nanLast(left, right)
    case (let left as Float, let right as Float): nanLast(left, right)
    case (let left as Date, let right as Date):
      nanLast(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (let left as Bool, let right as Bool): ordered(left ? 1 : 0, right ? 1 : 0)
    case (let left as URL, let right as URL):
      PortableString.scalarCompare(left.absoluteString, right.absoluteString)
    case (let left as any PersistentModel, let right as any PersistentModel):
      ordered(left.persistentModelID, right.persistentModelID)
    case (let left as any Comparable, _): ordered(left, rhs)
    case (let left as any RawRepresentable, let right as any RawRepresentable):
      compare(left.rawValue as Any, right.rawValue as Any)
    case (let left as Data, let right as Data):
      left.lexicographicallyPrecedes(right)
        ? .orderedAscending
        : right.lexicographicallyPrecedes(left) ? .orderedDescending : .orderedSame
    default: .orderedSame
    }
  }

  private static func ordered<Value: Comparable>(_ lhs: Value, _ rhs: Any) -> ComparisonResult {
    guard let rhs = rhs as? Value else { return .orderedSame }
    return lhs < rhs ? .orderedAscending : rhs < lhs ? .orderedDescending : .orderedSame
  }
}

/// The key of a group in a dictionary: all NaN keys form one group, although NaN isn't equal to itself.
struct GroupIdentity<Key: Hashable>: Hashable {
  let key: Key
  private var isNaN: Bool { key != key }

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.key == rhs.key || (lhs.isNaN && rhs.isNaN)
  }

  func hash(into hasher: inout Hasher) {
    if !isNaN { key.hash(into: &hasher) }
  }
}
