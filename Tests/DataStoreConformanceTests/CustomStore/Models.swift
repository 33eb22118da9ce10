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
