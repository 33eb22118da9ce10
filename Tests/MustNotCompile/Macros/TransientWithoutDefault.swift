import SwiftData

@Model
final class TransientPlace {
  @Transient var score: Int
  @Transient var note: any Equatable
  @Transient var cache: [Int]?

  init(score: Int) {
    self.score = score
    note = ""
  }
}
