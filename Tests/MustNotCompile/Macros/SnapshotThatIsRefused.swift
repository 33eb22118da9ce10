import SwiftData
import SwiftDataExtras

@Model @Snapshotable final class LabelledShelf {
  var label: String
  var boxes: [LabelledBox]?
  init(label: String) { self.label = label }
}
@Model final class LabelledBox {
  var shelf: LabelledShelf?
  init() {}
}
@Model class SnapshotTool {
  var name: String
  init(name: String) { self.name = name }
}
@Model @Snapshotable final class SnapshotSaw: SnapshotTool {
  var teeth: Int
  init(teeth: Int) {
    self.teeth = teeth
    super.init(name: "saw")
  }
}
@Model @Snapshotable final class SnapshotBox<Content: Codable & Sendable> {
  var content: Content
  init(content: Content) { self.content = content }
}
