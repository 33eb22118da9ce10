import Foundation
import OSLog
import SwiftData

private let logger = Logger(subsystem: "com.example.recipes", category: "models")

@Model
public final class Recipe {
  @Attribute(.unique) public var title: String
  public var servings: Int
  @Relationship(deleteRule: .cascade, inverse: \Ingredient.recipe)
  public var ingredients: [Ingredient] = []

  public init(title: String, servings: Int) {
    self.title = title
    self.servings = servings
  }

  public var summary: String {
    String(localized: "\(title), serves \(servings)")
  }

  public func scale(to count: Int) {
    logger.info("\(self.title, privacy: .private): \(self.servings) to \(count)")
    for ingredient in ingredients {
      ingredient.grams *= Double(count) / Double(servings)
    }
    servings = count
  }
}

@Model
public final class Ingredient {
  public var name: String
  public var grams: Double
  public var recipe: Recipe?

  public init(name: String, grams: Double) {
    self.name = name
    self.grams = grams
  }
}
