import SwiftData
import Testing

@Suite("A key that the delete rule noAction leaves in a row is no conflict")
struct KeptKeyTests {
  let container: ModelContainer

  init() throws { container = try memoryContainer(Town.self) }

  private static let policies: [MergePolicy] = [.error, .rollback]

  /// Saves a town with a thing, and another town.
  private func saved(in context: ModelContext) throws -> (Town, Thing, Town) {
    let (town, thing, other) = (Town(key: 1), Thing(key: 2), Town(key: 3))
    for town in [town, other] { context.insert(town) }
    context.insert(thing)
    try context.save()
    return (town, thing, other)
  }

  /// Returns a model as another context has it.
  private func model<Model: Being>(_ model: Model, in context: ModelContext) throws -> Model {
    try #require(context.model(for: model.persistentModelID) as? Model)
  }

  private func check(_ thing: Thing, in context: ModelContext, _ other: Town) throws {
    for value in 1...2 {
      thing.value = value
      try context.save()
    }
    #expect(thing.value == 2 && thing.place == nil)
    thing.place = other
    thing.value = 3
    try context.save()
    let stored = try model(thing, in: ModelContext(container))
    #expect(stored.value == 3 && stored.place?.key == 3)
  }

  @Test(
    "for the context that deleted the destination", arguments: [false, true],
    [false, true])
  func deletedHere(isFetched: Bool, isInOneSave: Bool) throws {
    for policy in Self.policies {
      for isSetInList in [false, true] {
        var context = ModelContext(container)
        var (town, thing, other) = try saved(in: context)
        if isFetched {
          context = ModelContext(container)
          town = try model(town, in: context)
          thing = try model(thing, in: context)
          other = try model(other, in: context)
        }
        context.mergePolicy = policy
        if isSetInList { town.loose.append(thing) } else { thing.place = town }
        if !isInOneSave { try context.save() }
        context.delete(town)
        try context.save()
        #expect(thing.place == nil)
        try check(thing, in: context, other)
      }
    }
  }

  @Test("for a context that has read nothing there", arguments: [false, true])
  func deletedElsewhere(isEdited: Bool) throws {
    for policy in Self.policies {
      let context = ModelContext(container)
      let (town, thing, other) = try saved(in: context)
      thing.place = town
      try context.save()
      context.delete(town)
      try context.save()
      let reader = ModelContext(container)
      reader.mergePolicy = policy
      let read = try model(thing, in: reader)
      #expect(read.place == nil)
      if isEdited {
        read.place = try model(other, in: reader)
        read.value = 1
        try reader.save()
        #expect(read.value == 1 && read.place?.key == 3)
        read.place = nil
        try reader.save()
      }
      try check(read, in: reader, try model(other, in: reader))
    }
  }
}
