import Foundation
import Testing

@Suite("Snapshots that don't compile")
struct RefusedSnapshotTests {
  private let program = """
    import SwiftData

    @Model @Snapshotable final class Shelf {
      var label: String
      var boxes: [Box]?
      init(label: String) { self.label = label }
    }
    @Model final class Box {
      var shelf: Shelf?
      init() {}
    }
    @Model class Tool {
      var name: String
      init(name: String) { self.name = name }
    }
    @Model @Snapshotable final class Saw: Tool {
      var teeth: Int
      init(teeth: Int) {
        self.teeth = teeth
        super.init(name: "saw")
      }
    }
    """

  @Test("a list without @Relationship and a subclass are refused with what to do")
  func refused() throws {
    let failure = #expect(throws: CompiledProgram.Failure.self) {
      try CompiledProgram.run(program)
    }
    let text = try #require(failure?.description)
    #expect(text.contains("write @Relationship in front of it"))
    #expect(text.contains("@Snapshotable belongs to the topmost model class"))
  }
}
