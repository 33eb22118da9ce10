import SwiftData
import Testing

/// One of each node that Foundation has on Linux and that the macro accepts, except those with
/// suites of their own.
@Suite("Every node of predicates gives the store's answer and memory's alike")
struct NodeTests {
  let container: ModelContainer

  init() throws {
    container = try memoryContainer(Sample.self)
    let context = ModelContext(container)
    for number in -3..<9 {
      let sample = Sample(int: number)
      sample.double = number == 4 ? .nan : Double(number) / 2
      sample.string = ["", "b1", "ab2", "bab", "é", "K9"][(number + 6) % 6]
      sample.optionalInt = number.isMultiple(of: 3) ? nil : number * 2
      sample.optionalString = number.isMultiple(of: 2) ? "x\(number)" : nil
      sample.strings = Array(["a", "b", "é"].prefix((number + 3) % 4))
      sample.numbers = Set(0..<max(0, number))
      sample.pairs = number > 2 ? ["a": Double(number)] : [:]
      context.insert(sample)
    }
    try context.save()
  }

  private func expectSame(
    _ predicate: Predicate<Sample>, isExact: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectSameAnswer(predicate, in: container, isExact: isExact, sourceLocation: sourceLocation)
  }

  @Test func optionals() throws {
    try expectSame(#Predicate { $0.optionalInt.flatMap { $0 + 1 } == 5 })
    try expectSame(#Predicate { ($0.optionalInt ?? 4) > 3 })
    try expectSame(#Predicate { if let number = $0.optionalInt { number > 3 } else { $0.int > 5 } })
    try expectSame(#Predicate { $0.optionalString?.count == 2 })
    try expectSame(#Predicate { $0.optionalInt == nil || $0.optionalInt! > 3 })
    try expectSame(#Predicate { ($0.optionalInt as Int?) != nil }, isExact: false)
  }

  @Test func choices() throws {
    try expectSame(#Predicate { ($0.int > 3 ? $0.int : 4) == 4 })
    try expectSame(#Predicate { if $0.int > 3 { $0.string.isEmpty } else { $0.int < 0 } })
  }

  @Test func arithmetic() throws {
    try expectSame(#Predicate { -$0.int > 1 })
    try expectSame(#Predicate { ($0.int * 2 - 1) % 3 == 0 })
    try expectSame(#Predicate { $0.int / 2 == 1 })
    try expectSame(#Predicate { $0.double / 2 > 0.5 })
    try expectSame(#Predicate { -$0.double < 1 })
  }

  @Test func ranges() throws {
    let from = 3...
    let through = ...3
    let upTo = ..<3
    try expectSame(#Predicate { (1..<4).contains($0.int) })
    try expectSame(#Predicate { (0.5...2).contains($0.double) })
    try expectSame(#Predicate { from.contains($0.int) })
    try expectSame(#Predicate { through.contains($0.int) })
    try expectSame(#Predicate { upTo.contains($0.int) })
    try expectSame(#Predicate { ($0.int...9).contains(4) }, isExact: false)
    try expectSame(#Predicate { ($0.int..<9).contains(4) }, isExact: false)
  }

  @Test func strings() throws {
    let pattern = #/b\d/#
    try expectSame(#Predicate { $0.string.starts(with: "b") })
    try expectSame(#Predicate { $0.string.contains("b") })
    try expectSame(#Predicate { $0.string.localizedStandardContains("B") })
    try expectSame(#Predicate { $0.string.contains(pattern) }, isExact: false)
  }

  @Test func lists() throws {
    let list = ["a", "b"]
    try expectSame(#Predicate { $0.strings.contains("b") })
    try expectSame(#Predicate { $0.strings.isEmpty })
    try expectSame(#Predicate { $0.strings.count > 1 })
    try expectSame(#Predicate { $0.strings.starts(with: list) }, isExact: false)
    try expectSame(#Predicate { $0.strings.first == "a" && $0.strings.last == "b" }, isExact: false)
    try expectSame(#Predicate { $0.strings.count > 1 && $0.strings[1] == "b" }, isExact: false)
    try expectSame(
      #Predicate { $0.strings.count > 1 && $0.strings[0..<2].contains("b") }, isExact: false)
    try expectSame(#Predicate { $0.strings.min() == "a" }, isExact: false)
    try expectSame(#Predicate { $0.numbers.contains(3) })
    try expectSame(#Predicate { $0.numbers.max() == 4 })
    try expectSame(#Predicate { ($0.numbers.min() ?? 1) == 0 })
    try expectSame(#Predicate { $0.numbers.allSatisfy { $0 < 4 } })
    try expectSame(#Predicate { $0.numbers.filter { $0 % 2 == 0 }.count == 2 }, isExact: true)
    try expectSame(#Predicate { list.contains($0.string) || $0.int > 6 })
  }

  @Test func dictionaries() throws {
    try expectSame(#Predicate { $0.pairs["a"] == 4 }, isExact: false)
    try expectSame(#Predicate { $0.pairs["a", default: 1] < 4 }, isExact: false)
    try expectSame(#Predicate { $0.pairs.isEmpty }, isExact: false)
  }
}
