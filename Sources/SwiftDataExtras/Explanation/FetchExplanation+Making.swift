import Foundation
import SwiftDataCore

extension FetchExplanation {
  /// - Parameters:
  ///   - isSorted: Whether an order is requested.
  ///   - isCut: Whether a limit or an offset is requested.
  init(_ fetch: ModelContext.ExplainedFetch, isSorted: Bool, isCut: Bool) {
    let answer = fetch.explanation
    entity = fetch.entity
    store = fetch.store
    pendingChanges = fetch.pendingChanges
    sql = answer?.sql
    bindings = answer?.bindings ?? []
    queryPlan =
      answer?.plan.map { String(repeating: "  ", count: $0.depth) + $0.text } ?? []
    let steps = answer?.plan.map(\.text) ?? []
    database = answer?.database ?? "SQLite"
    indices = Self.unique(answer?.indices ?? steps.compactMap(Self.index))
    scannedTables = Self.unique(
      answer?.scannedTables
        ?? steps.compactMap(Self.scanned).map { answer?.tables[$0] ?? $0 })
    var parts: [MemoryPart] = []
    if answer == nil {
      parts.append(MemoryPart(work: .store, reason: "the store isn't a database with SQL"))
    }
    parts += (answer?.filterReasons ?? []).map { MemoryPart(work: .filter, reason: $0) }
    let sortReason = answer?.sortReason
    if let sortReason { parts.append(MemoryPart(work: .sort, reason: sortReason)) }
    if pendingChanges > 0 {
      let number = pendingChanges == 1 ? "1 model has" : "\(pendingChanges) models have"
      parts.append(MemoryPart(work: .merge, reason: "\(number) unsaved changes"))
      if isSorted, sortReason == nil {
        parts.append(MemoryPart(work: .sort, reason: "unsaved models have to find their places"))
      }
    }
    if isCut, answer != nil, !parts.isEmpty {
      parts.append(MemoryPart(work: .cut, reason: "it comes after what else is done in memory"))
    }
    inMemory = parts
  }

  private static func unique(_ names: [String]) -> [String] {
    var known: Set<String> = []
    return names.filter { known.insert($0).inserted }
  }

  /// The index that a step of the plan uses (https://sqlite.org/eqp.html); nil for an automatic one, which has no name.
  private static func index(in step: String) -> String? {
    if step.contains("INTEGER PRIMARY KEY") { return "INTEGER PRIMARY KEY" }
    guard step.contains("USING"), !hasAutomaticIndex(step),
      let start = step.range(of: "INDEX ")?.upperBound
    else { return nil }
    // A name may have spaces.
    let rest = step[start...]
    let ends = [" (", " FOR IN-OPERATOR", " LEFT-JOIN"].compactMap {
      rest.range(of: $0)?.lowerBound
    }
    return String(rest[..<(ends.min() ?? rest.endIndex)])
  }

  /// Whether SQLite makes an index for the duration of the statement, for which it reads the whole table
  /// (https://sqlite.org/optoverview.html#automatic_query_time_indexes).
  private static func hasAutomaticIndex(_ step: String) -> Bool {
    step.contains("USING AUTOMATIC ")
  }

  /// The table or alias whose rows a step reads completely, without the order of an index.
  private static func scanned(in step: String) -> String? {
    let isScan =
      step.hasPrefix("SCAN ") && !step.contains("USING") && !step.contains("VIRTUAL TABLE")
    guard isScan || hasAutomaticIndex(step) else { return nil }
    let name = step.drop { $0 != " " }.dropFirst().prefix { $0 != " " }
    // Lists in parameters aren't tables, nor are subqueries.
    return ["json_each", "CONSTANT", "SUBQUERY"].contains(String(name)) || name.first == "("
      ? nil : String(name)
  }
}

extension FetchExplanation: CustomStringConvertible {
  public var description: String {
    var lines = ["\(entity) in the store \(store)"]
    if let sql {
      lines.append("  \(sql)")
      for (index, binding) in bindings.enumerated() { lines.append("  \(index + 1): \(binding)") }
      lines.append("\(database)'s plan")
      lines += queryPlan.map { "  \($0)" }
    }
    if !indices.isEmpty { lines.append("Indices: \(indices.joined(separator: ", "))") }
    for table in scannedTables {
      lines.append("Every row of \(table) is read: no index serves the query.")
    }
    if inMemory.isEmpty {
      lines.append("Nothing is left to memory.")
    } else {
      lines.append("In memory")
      lines += inMemory.map { "  \($0.work.rawValue): \($0.reason)" }
    }
    return lines.joined(separator: "\n")
  }
}
