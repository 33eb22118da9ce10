import Foundation
import SwiftData

/// A repository for any model, as applications write them: only identifiers, and values that the caller creates from a
/// model, leave the actor.
@ModelActor
actor Repository<Model: PersistentModel> {
  func all<Value: Sendable>(
    sortBy: [SortDescriptor<Model>] = [], _ transform: @Sendable (Model) -> Value
  ) throws -> [Value] {
    try modelContext.fetch(FetchDescriptor<Model>(sortBy: sortBy)).map(transform)
  }

  func insert(_ make: @Sendable () -> Model) throws -> PersistentIdentifier {
    let model = make()
    modelContext.insert(model)
    try modelContext.save()
    return model.persistentModelID
  }

  func update(_ id: PersistentIdentifier, _ change: @Sendable (Model) throws -> Void) throws {
    guard let model = self[id, as: Model.self] else { return }
    try modelContext.transaction { try change(model) }
  }

  func remove(where predicate: Predicate<Model>? = nil) throws {
    try modelContext.delete(model: Model.self, where: predicate)
    try modelContext.save()
  }
}

@Model
final class StockItem {
  var name: String
  var amount: Int

  init(name: String, amount: Int) {
    self.name = name
    self.amount = amount
  }
}

func stockTaking(_ container: ModelContainer) async throws -> [String] {
  let repository = Repository<StockItem>(modelContainer: container)
  let id = try await repository.insert { StockItem(name: "nail", amount: 3) }
  try await repository.update(id) { $0.amount += 1 }
  try await repository.remove(where: #Predicate { $0.amount == 0 })
  return try await repository.all { "\($0.name): \($0.amount)" }
}
