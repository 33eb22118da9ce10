import Foundation
import SwiftDataCore

/// The aggregates, each in two forms: computed from models, and read from a store's row.
extension Aggregate {
  static func models() -> Aggregate where Value == Int {
    Aggregate(
      term: AggregateTerm(function: .models, keyPath: nil),
      read: { try $0.count() }, evaluate: { $0.count })
  }

  static func values<Content>(_ keyPath: KeyPath<Root, Content?>) -> Aggregate
  where Value == Int {
    Aggregate(
      term: AggregateTerm(function: .values, keyPath: keyPath),
      read: { try $0.count() },
      evaluate: { models in models.count { $0[keyPath: keyPath] != nil } })
  }

  static func total<Number: SummableValue>(
    _ keyPath: KeyPath<Root, Number>, _ result: @escaping (_NumberTotal) throws -> Value
  ) -> Aggregate {
    Aggregate(
      term: AggregateTerm(function: .total, keyPath: keyPath),
      read: { try result($0.total(keyPath)) },
      evaluate: { models in
        var total = _NumberTotal()
        for model in models { model[keyPath: keyPath]._add(to: &total) }
        return try result(total)
      })
  }

  /// - Parameter content: Returns the value at the key path as an optional.
  static func extreme<Property, Content>(
    _ function: AggregateTerm.Function, _ keyPath: KeyPath<Root, Property>,
    isByRawValue: Bool = false, _ content: @escaping (Property) -> Content?
  ) -> Aggregate where Value == Content? {
    let wanted = function == .minimum ? ComparisonResult.orderedAscending : .orderedDescending
    return Aggregate(
      term: AggregateTerm(function: function, keyPath: keyPath, isByRawValue: isByRawValue),
      read: { try $0.value(Content?.self, keyPath) },
      evaluate: { models in
        models.reduce(nil) { best, model in
          guard let next = content(model[keyPath: keyPath]) else { return best }
          guard let best else { return next }
          return ValueOrder.compare(next, best) == wanted ? next : best
        }
      })
  }
}

/// An aggregate that serves only to order groups, without its value's type.
struct ErasedAggregate<Root: PersistentModel> {
  let term: AggregateTerm
  let read: (inout AggregateRow) throws -> Any
  let evaluate: ([Root]) throws -> Any

  init<Value>(_ aggregate: Aggregate<Root, Value>) {
    term = aggregate.term
    read = { try aggregate.read(&$0) }
    evaluate = { try aggregate.evaluate($0) }
  }
}

func aggregateList<Root: PersistentModel, each Value>(
  _ aggregates: repeat Aggregate<Root, each Value>
) -> AggregateList<Root, (repeat each Value)> {
  var terms: [AggregateTerm] = []
  repeat terms.append((each aggregates).term)
  return AggregateList(
    terms: terms,
    read: { row in (repeat try (each aggregates).read(&row)) },
    evaluate: { models in (repeat try (each aggregates).evaluate(models)) })
}
