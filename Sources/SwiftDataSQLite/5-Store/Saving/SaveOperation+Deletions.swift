import SwiftDataCore
import SwiftDataSQL

/// Deletes models. SQLite keeps a journal of the pages that a statement changes when foreign keys or triggers are
/// involved, so a statement for many rows costs far less than one for each.
extension SaveOperation {
  /// The number of rows from which one statement for several rows pays.
  private static let minimumBatch = 4
  /// The maximum number of rows in a statement: its journal is in memory.
  private static let maximumBatch = 5_000

  /// Deletes the rows of models.
  ///
  /// - Parameter models: The models. Those that a deletion cascades to come after it and are deleted first: otherwise
  ///   the database would follow the chain, whose length it limits.
  func delete(_ models: [any PersistentModel]) throws {
    guard models.count >= Self.minimumBatch, let classes = try classes(of: models) else {
      for model in models.reversed() { try delete(model) }
      return
    }
    for (plan, rowIDs) in classes {
      let statements = try store.statements(of: plan)
      var rest = rowIDs[...]
      while rest.count >= Self.minimumBatch {
        let batch = rest.prefix(Self.maximumBatch)
        rest = rest.dropFirst(Self.maximumBatch)
        let list = batch.lazy.map(String.init).joined(separator: ",")
        try run(statements.deleteMany, [.text("[\(list)]")])
        try connection.recorder?.flush()
      }
      for rowID in rest { try delete(rowID, statements) }
    }
  }

  private func delete(_ model: any PersistentModel) throws {
    try delete(
      model._$modelState.rowID, try store.statements(of: try plan(of: model)))
  }

  private func delete(_ rowID: Int64, _ statements: EntityStatements) throws {
    let statement = try connection.statement(statements.delete)
    try statement.bind(.integer(rowID), at: 1)
    try statement.run()
  }

  private typealias DeletedClass = (plan: EntityPlan, rowIDs: [Int64])

  /// The rows by class, destinations of delete rules before their owners; nil when classes lead to each other or to
  /// themselves, so that only rows can be ordered.
  private func classes(of models: [any PersistentModel]) throws -> [DeletedClass]? {
    var found: [DeletedClass] = []
    var places: [ObjectIdentifier: Int] = [:]
    for model in models.reversed() {
      let plan = try plan(of: model)
      let place = places[ObjectIdentifier(plan)] ?? found.count
      if place == found.count {
        places[ObjectIdentifier(plan)] = place
        found.append((plan, []))
      }
      found[place].rowIDs.append(model._$modelState.rowID)
    }
    var ordered: [DeletedClass] = []
    var begun: Set<ObjectIdentifier> = []
    var done: Set<ObjectIdentifier> = []
    /// Returns false when a class leads back to one that waits for it.
    func add(_ next: DeletedClass) -> Bool {
      let identity = ObjectIdentifier(next.plan)
      if done.contains(identity) { return true }
      guard begun.insert(identity).inserted else { return false }
      for other in found where Self.reaches(next.plan, other.plan) {
        guard add(other) else { return false }
      }
      done.insert(identity)
      ordered.append(next)
      return true
    }
    for next in found { guard add(next) else { return nil } }
    return ordered
  }

  /// Whether a deletion of one class affects rows of another.
  private static func reaches(_ plan: EntityPlan, _ other: EntityPlan) -> Bool {
    plan.relationships.contains { index in
      guard let relationship = plan.properties[index].relationship,
        relationship.deleteRule == .cascade || relationship.storage == .inverseColumn
      else { return false }
      return ModelInheritance.isClass(other.type, orSubclassOf: relationship.destination)
        || ModelInheritance.isClass(relationship.destination, orSubclassOf: other.type)
    }
  }
}
