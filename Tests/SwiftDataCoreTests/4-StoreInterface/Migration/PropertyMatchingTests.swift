import SwiftDataCore
import Testing

@Suite("The origin of each property of a new version")
struct PropertyMatchingTests {
  /// Returns an entity with properties written as `name` or `name<originalName`.
  private func entity(_ properties: String...) -> EntityDescription {
    EntityDescription(
      name: "Thing", table: "Thing", superentity: nil, sharesTable: false,
      properties: properties.map { text in
        let parts = text.split(separator: "<").map(String.init)
        return PropertyDescription(
          name: parts[0], originalName: parts.last ?? parts[0], type: "Int", isOptional: false,
          columns: [])
      }, inheritedCount: 0)
  }

  private func sources(
    _ old: EntityDescription, _ new: EntityDescription
  ) -> (sources: [String?], removed: [String]) {
    let matching = PropertyMatching(from: old, to: new)
    return (new.properties.map { matching[$0]?.name }, matching.removed.map(\.name))
  }

  @Test("the same name, a new one, a removed one")
  func names() {
    let found = sources(entity("a", "b"), entity("b", "c"))
    #expect(found.sources == ["b", nil])
    #expect(found.removed == ["a"])
  }

  @Test("a renamed one comes from its original, in every later version")
  func renamed() {
    #expect(sources(entity("a"), entity("b<a")).sources == ["a"])
    #expect(sources(entity("b<a"), entity("b<a")).sources == ["b"])
    #expect(sources(entity("b<a"), entity("c<a")).sources == ["b"])
    #expect(sources(entity("b<a"), entity("b")).sources == ["b"])
  }

  @Test("a name that is given to a new property doesn't take the old one's values")
  func reused() {
    let found = sources(entity("a"), entity("a", "b<a"))
    #expect(found.sources == [nil, "a"])
    #expect(sources(entity("a", "b<a"), entity("a", "b<a")).sources == ["a", "b"])
  }

  @Test("two that exchange their names")
  func exchanged() {
    #expect(sources(entity("a", "b"), entity("a<b", "b<a")).sources == ["b", "a"])
  }
}
