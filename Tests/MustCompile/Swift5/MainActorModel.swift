import SwiftData

// In Swift 5 mode a model may belong to the main actor; the compiler warns about its conformance.

@MainActor
@Model
final class Bookmark {
  var title: String
  var visits = 0
  var folder: BookmarkFolder?

  init(title: String) { self.title = title }
}

@MainActor
@Model
class BookmarkFolder {
  var name: String
  @Relationship(inverse: \Bookmark.folder) var bookmarks: [Bookmark] = []

  init(name: String) { self.name = name }
}

@MainActor
func visit(_ bookmark: Bookmark, in context: ModelContext) throws -> Int {
  bookmark.visits += 1
  bookmark.folder?.bookmarks.append(Bookmark(title: bookmark.title))
  try context.save()
  return bookmark.visits
}
