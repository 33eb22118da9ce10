import SwiftData

/// Operators in the body of the class, as a conformance to `Comparable` or an equality of one's own needs them.
@Model
final class Runner: Comparable {
  var name: String
  var seconds = 0

  init(name: String) {
    self.name = name
  }

  static func < (left: Runner, right: Runner) -> Bool { left.seconds < right.seconds }
  static func == (left: Runner, right: Runner) -> Bool { left.name == right.name }
  static prefix func ! (runner: Runner) -> Bool { runner.name.isEmpty }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

@Model
class Racer: Comparable {
  var rank = 0

  init(rank: Int) {
    self.rank = rank
  }

  static func < (left: Racer, right: Racer) -> Bool { left.rank < right.rank }
}

@Model
final class Champion: Racer {
  var titles = 1

  override init(rank: Int) {
    super.init(rank: rank)
  }

  static func == (left: Champion, right: Champion) -> Bool { left.titles == right.titles }
}

func ranking(_ racers: [Racer], _ runners: [Runner]) -> ([Racer], Runner?) {
  (racers.sorted(), runners.filter { !(!$0) }.max())
}
