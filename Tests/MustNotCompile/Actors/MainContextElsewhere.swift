import SwiftData

func useMainContext(_ container: ModelContainer) {
  container.mainContext.autosaveEnabled = false
}

actor ContextOwner {
  let container: ModelContainer

  init(container: ModelContainer) {
    self.container = container
  }

  func save() throws {
    try container.mainContext.save()
  }
}
