import SwiftData

@Model
final class Note {
  var text: String
  var rank: Int
  var folder: Folder?

  init(_ text: String, rank: Int = 0, in folder: Folder? = nil) {
    self.text = text
    self.rank = rank
    self.folder = folder
  }
}

@Model
final class Folder {
  var name: String
  var notes: [Note] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Score {
  @Attribute(.unique) var player: String
  var points: Int

  init(_ player: String, points: Int) {
    self.player = player
    self.points = points
  }
}

@Model
class Tool {
  var name: String
  var kit: Kit?

  init(_ name: String) { self.name = name }
}

@Model
final class Saw: Tool {
  var teeth: Int

  init(_ name: String, teeth: Int) {
    self.teeth = teeth
    super.init(name)
  }
}

@Model
final class Kit {
  var tools: [Tool] = []

  init() {}
}
