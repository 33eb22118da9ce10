import Testing

@testable import SwiftDataMacroExpansion

@Suite("The expansion of @ModelActor")
struct PersistentModelActorMacroTests {
  @Test func theWholeExpansion() {
    expectExpansion(
      of: "@ModelActor\npublic actor Worker {\n}",
      """
      public actor Worker {

        public nonisolated let modelExecutor: any SwiftData.ModelExecutor

        public nonisolated let modelContainer: SwiftData.ModelContainer

        public init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
      }

      extension Worker: SwiftData.ModelActor {
      }
      """)
  }

  private func makesInitializer(_ members: String) -> Bool {
    expandedLines(of: "@ModelActor actor A {\n\(members)\n}")
      .contains("let modelContext = SwiftData.ModelContext(modelContainer)")
  }

  @Test func anInitializerOfTheSameFormIsKept() {
    #expect(!makesInitializer("init(modelContainer: ModelContainer) {}"))
  }

  @Test func anOtherInitializerIsKeptBesideTheMadeOneIfThatCanLeaveTheRestAlone() {
    #expect(makesInitializer("var a = 1\ninit(a: Int) {}"))
    #expect(makesInitializer("var a: Int?\ninit(a: Int) {}"))
    #expect(!makesInitializer("var a: Int\ninit(a: Int) {}"))
    #expect(!makesInitializer("let a: Int?\ninit(a: Int) {}"))
  }
}
