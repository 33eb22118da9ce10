import SwiftData

@Model
final class InverseHolder {
  @Relationship(inverse: \InverseHolder.missing) var other: InverseHolder?

  init() {}
}
