import Foundation
import OSLog
import SwiftData

/// The names of what the recipes of a context need, as a sentence.
public func shoppingList(for servings: Int, in context: ModelContext) throws -> String {
  let recipes = try context.fetch(
    FetchDescriptor<Recipe>(
      predicate: #Predicate { $0.servings >= servings }, sortBy: [SortDescriptor(\.title)]))
  let names = Set(recipes.flatMap(\.ingredients).map(\.name))
  Logger(subsystem: "com.example.recipes", category: "shopping").debug("\(names.count) names")
  return ListFormatter.localizedString(byJoining: names.sorted())
}
