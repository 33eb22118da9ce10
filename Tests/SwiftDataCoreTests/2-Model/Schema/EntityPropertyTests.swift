import SwiftDataCore
import Testing

@Suite("An entity's properties by name and kind")
struct EntityPropertyTests {
  private func attribute(_ name: String) -> Schema.Attribute {
    Schema.Attribute(name: name, valueType: Int.self)
  }

  private func relationship(_ name: String) -> Schema.Relationship {
    let relationship = Schema.Relationship()
    relationship.name = name
    return relationship
  }

  @Test("properties set by name appear in every other view, in their order")
  func byName() {
    let entity = Schema.Entity("E", properties: attribute("b"), attribute("a"))
    entity.storedPropertiesByName["c"] = relationship("c")
    #expect(entity.properties.map(\.name) == ["b", "a", "c"])
    #expect(entity.attributes.map(\.name).sorted() == ["a", "b"])
    #expect(Array(entity.relationshipsByName.keys) == ["c"])
    entity.storedPropertiesByName["b"] = nil
    #expect(Array(entity.attributesByName.keys) == ["a"])
  }

  @Test("setting the attributes leaves relationships and inherited attributes that stay")
  func attributes() {
    let entity = Schema.Entity("E", properties: attribute("a"), relationship("r"))
    entity.inheritedPropertiesByName = ["x": attribute("x"), "y": attribute("y")]
    entity.attributes = [attribute("x"), attribute("new")]
    #expect(entity.inheritedProperties.map(\.name) == ["x"])
    #expect(entity.storedProperties.map(\.name) == ["r", "new"])
    #expect(entity.attributes == [attribute("x"), attribute("new")])
    entity.relationships = []
    #expect(entity.properties.map(\.name) == ["x", "new"])
  }

  @Test("a property put under another name takes it")
  func renaming() {
    let entity = Schema.Entity("E")
    entity.attributesByName = ["b": attribute("a")]
    #expect(entity.storedPropertiesByName["b"]?.name == "b")
    entity.relationshipsByName = ["s": relationship("r")]
    #expect(entity.storedProperties.map(\.name) == ["b", "s"])
  }
}
