import SwiftData

func sendContext(_ container: ModelContainer) throws {
  let context = ModelContext(container)
  Task.detached {
    try context.save()
  }
  try context.save()
}

@MainActor
func sendMainContext(_ container: ModelContainer) {
  let context = container.mainContext
  Task.detached {
    try context.save()
  }
}
