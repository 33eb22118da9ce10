import SwiftData

@Model
final class UnsuitablePlace {
  #Unique<UnsuitablePlace>([\.name, \.upper], [\UnsuitablePlace.score])
  #Index<UnsuitablePlace>(.binary([\.number]), .rtree([\.cursor]))
  #Index<UnsuitablePlace>([\.children], [\.late])
  var name: String = ""
  var upper: String { name.uppercased() }
  @Transient var score = 0
  let number = 3
  @Attribute(.ephemeral) var cursor = 0.5
  @Relationship var children: [UnsuitablePlace] = []
  @Transient lazy var late = 1

  init() {}
}
