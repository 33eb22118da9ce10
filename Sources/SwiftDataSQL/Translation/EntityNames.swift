import Foundation
import SwiftDataCore
import Synchronization

/// The quoted names of one entity, made once, and what key paths on it lead to.
final class EntityNames: Sendable {
  let plan: EntityPlan
  let table: String
  /// Column names, quoted.
  let columns: [String]
  /// Column names, quoted, of the fetched entity.
  let rootColumns: [String]
  let kinds: [TermKind]

  private static let cache = Mutex<[ObjectIdentifier: EntityNames]>([:])

  /// The names of `plan`, made once: a process has few plans, and keeps them while containers live.
  static func names(of plan: EntityPlan) -> EntityNames {
    let key = ObjectIdentifier(plan)
    return cache.withLock { cache in
      if let known = cache[key] { return known }
      // The names hold their plan, so that no other can take its address; hence a limit.
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

  /// The column that says whether an optional composite is there.
  func presenceColumn(of property: Int) -> Int? {
    plan.properties[property].columns.first { plan.columns[$0].kind == .presence }
  }
}
