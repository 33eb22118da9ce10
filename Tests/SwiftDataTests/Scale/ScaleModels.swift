import Foundation
import SwiftData

/// A class with relationships to itself: to-one without and with an inverse, and to-many without an inverse.
@Model
final class Knot {
  #Index<Knot>([\.number])
  var number: Int
  @Relationship(inverse: nil) var next: Knot?
  @Relationship(inverse: nil) var side: [Knot] = []
  var above: Knot?
  @Relationship(deleteRule: .cascade, inverse: \Knot.above) var below: [Knot] = []

  init(_ number: Int, next: Knot? = nil) {
    self.number = number
    self.next = next
  }
}

/// A class with a unique key, an owner and a friend.
@Model
final class Card {
  @Attribute(.unique) var key: String
  var text: String
  var box: CardBox?
  @Relationship(inverse: nil) var friend: Card?

  init(_ key: String, text: String = "", box: CardBox? = nil) {
    self.key = key
    self.text = text
    self.box = box
  }
}

@Model
final class CardBox {
  @Attribute(.unique) var name: String
  var note = ""
  @Relationship(deleteRule: .cascade, inverse: \Card.box) var cards: [Card] = []

  init(_ name: String, cards: [Card] = []) {
    self.name = name
    self.cards = cards
  }
}

/// The size of the tests of depth and width: OPENSWIFTDATA_TEST_SCALE models, by default 2,000.
enum Scale {
  static let count = TestEnvironment.number("OPENSWIFTDATA_TEST_SCALE") ?? 2_000
  /// The number of members of a wide list: a tenth of that if it is large.
  static let width = max(count / 10, min(count, 2_000))

  /// Runs `body` on a thread with a stack of 512 KiB, the size of secondary threads' stacks on other systems.
  static func onSmallStack(_ body: @escaping () throws -> Void) throws {
    try onStack(of: 512 << 10, body)
  }

  /// Returns the processor time of this thread, which doesn't depend on the machine's load.
  static func processorTime(_ body: () -> Void) -> Duration {
    func now() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    body()
    return now() - start
  }
}
