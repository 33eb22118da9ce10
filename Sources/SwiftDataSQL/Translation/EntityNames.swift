import Foundation
import SwiftDataCore
import Synchronization

/// The quoted names of one entity, built once, with the kinds of its columns.
final class EntityNames: Sendable {
  let plan: EntityPlan
  let table: String
  /// The quoted column names.
  let columns: [String]
  /// The quoted column names of the fetched entity, with the alias `t0`.
  let rootColumns: [String]
  let kinds: [TermKind]

  private static let cache = Mutex<[ObjectIdentifier: EntityNames]>([:])

  /// The names of `plan`, built once: a process has few plans, and keeps them while containers
  /// live.
  static func names(of plan: EntityPlan) -> EntityNames {
    let key = ObjectIdentifier(plan)
    return cache.withLock { cache in
      if let known = cache[key] { return known }
      // The names hold their plan, so that no other plan can take its address; hence the limit.
      if cache.count >= 512 { cache.removeAll() }
      let names = EntityNames(plan)
      cache[key] = names
      return names
    }
  }

  private init(_ plan: EntityPlan) {
    self.plan = plan
    table = SQLIdentifier.quoted(plan.table)
    columns = plan.columns.map { SQLIdentifier.quoted($0.name) }
    rootColumns = columns.map { "t0." + $0 }
    kinds = plan.columns.map { column in
      let property = plan.properties[column.property]
      guard case .scalar = property.shape else { return TermKind(encoding: column.kind) }
      return TermKind(encoding: column.kind, type: property.valueType)
    }
  }

  /// The column that stores whether an optional composite isn't nil.
  func presenceColumn(of property: Int) -> Int? {
    plan.properties[property].columns.first { plan.columns[$0].kind == .presence }
  }
}
