import SwiftDataCore
import SwiftDataSQL

/// Deletes models. SQLite keeps a journal of the pages that a statement changes when foreign keys or triggers are
/// involved, so a statement for many rows costs far less than one for each.
struct DeletionPhase {
  /// The number of rows from which one statement for several rows pays.
  private static let minimumBatch = 4
  /// The maximum number of rows in a statement: its journal is in memory.
  private static let maximumBatch = 5_000

  private let context: SaveContext

  init(_ context: SaveContext) { self.context = context }

  /// Deletes the rows of the models. Those that a deletion cascades to come after it and are deleted first: otherwise
  /// the database would follow the chain, whose length it limits.
  func run() throws {
    let models = Array(context.changes.deleted.reversed())
    if models.count >= Self.minimumBatch {
      if let groups = DeletedRows.ordered(try grouped(models)) {
        for group in groups { try delete(group) }
        return
      }
      if models.count >= DeletionOrder.minimumCount { return try deleteInSteps(models) }
    }
    for model in models {
      let statements = try context.statements(of: try context.plan(of: model))
      try delete(model._$modelState.rowID, statements)
    }
  }

  /// Deletes the rows of many models of classes that lead to each other or to themselves.
  private func deleteInSteps(_ models: [any PersistentModel]) throws {
    let rows = try models.map {
      (table: try context.plan(of: $0).table, rowID: $0._$modelState.rowID)
    }
    let order = try DeletionOrder(rows, context.store.entities, on: context.connection)
    for step in try order.steps() {
      for group in try grouped(step.lazy.map { models[$0] }) { try delete(group) }
    }
  }

  /// The rows of models by class.
  private func grouped(_ models: some Sequence<any PersistentModel>) throws -> [DeletedRows] {
    var groups: [DeletedRows] = []
    var positions: [ObjectIdentifier: Int] = [:]
    for model in models {
      let plan = try context.plan(of: model)
      let position = positions[ObjectIdentifier(plan)] ?? groups.count
      if position == groups.count {
        positions[ObjectIdentifier(plan)] = position
        groups.append(DeletedRows(plan: plan))
      }
      groups[position].rowIDs.append(model._$modelState.rowID)
    }
    return groups
  }

  private func delete(_ group: DeletedRows) throws {
    let statements = try context.statements(of: group.plan)
    var rest = group.rowIDs[...]
    while rest.count >= Self.minimumBatch {
      let batch = rest.prefix(Self.maximumBatch)
      rest = rest.dropFirst(Self.maximumBatch)
      let list = batch.lazy.map(String.init).joined(separator: ",")
      try context.run(statements.deleteMany, [.text("[\(list)]")])
      try context.connection.recorder?.flush()
    }
    for rowID in rest { try delete(rowID, statements) }
  }

  private func delete(_ rowID: Int64, _ statements: EntityStatements) throws {
    let statement = try context.connection.statement(statements.delete)
    try statement.bind(.integer(rowID), at: 1)
    try statement.run()
  }
}

/// The rows of one class that a save deletes.
struct DeletedRows {
  let plan: EntityPlan
  var rowIDs: [Int64] = []

  /// Orders classes, destinations of delete rules before their owners; nil when classes lead to each other or to
  /// themselves, so that only rows can be ordered.
  static func ordered(_ groups: [DeletedRows]) -> [DeletedRows]? {
    var ordered: [DeletedRows] = []
    var begun: Set<ObjectIdentifier> = []
    var done: Set<ObjectIdentifier> = []
    /// Returns false when a class leads back to one that waits for it.
    func add(_ next: DeletedRows) -> Bool {
      let identity = ObjectIdentifier(next.plan)
      if done.contains(identity) { return true }
      guard begun.insert(identity).inserted else { return false }
      for other in groups where reaches(next.plan, other.plan) {
        guard add(other) else { return false }
      }
      done.insert(identity)
      ordered.append(next)
      return true
    }
    for next in groups { guard add(next) else { return nil } }
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
