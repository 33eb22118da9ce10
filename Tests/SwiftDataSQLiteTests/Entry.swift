import SwiftData

/// A model whose rows fill a file quickly: about nine of them a page.
@Model
final class Entry {
  var number: Int
  var text: String

  init(_ number: Int) {
    self.number = number
    text = String(repeating: "e", count: 400)
  }
}
