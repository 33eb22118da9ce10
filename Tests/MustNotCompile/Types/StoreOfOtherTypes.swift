import SwiftData

struct PlainValue {
  var name = ""
}

func storeOfOtherTypes(_ context: ModelContext) throws {
  context.insert(PlainValue())
  context.delete(PlainValue())
  try context.delete(model: PlainValue.self)
  _ = try ModelContainer(for: PlainValue.self)
  _ = Schema([PlainValue.self])
}
