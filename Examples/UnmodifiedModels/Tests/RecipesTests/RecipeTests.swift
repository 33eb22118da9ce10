import Recipes
import SwiftData
import Testing

@Test func aRecipeIsScaledAndListed() throws {
  let container = try ModelContainer(
    for: Recipe.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  let context = ModelContext(container)
  let soup = Recipe(title: "Soup", servings: 2)
  soup.ingredients = [
    Ingredient(name: "leek", grams: 200), Ingredient(name: "potato", grams: 300),
  ]
  context.insert(soup)
  soup.scale(to: 4)
  try context.save()

  #expect(soup.summary == "Soup, serves 4")
  #expect(soup.ingredients.map(\.grams).sorted() == [400, 600])
  #expect(try shoppingList(for: 3, in: context) == "leek and potato")
}
