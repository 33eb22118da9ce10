import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Shapes of queries")
struct QueryShapeTests {
  private func shape(
    _ predicate: Predicate<Specimen>, _ sort: [SortDescriptor<Specimen>] = []
  ) throws -> QueryShape {
    var shape = QueryShape()
    shape.append(sort)
    shape.append(try LoweredPredicate(predicate))
    return shape
  }

  @Test("constants aren't a part of it, and come in the order of the parameters")
  func constants() throws {
    func shape(_ name: String, _ count: Int) throws -> QueryShape {
      try self.shape(#Predicate { $0.name == name && !($0.count < count) })
    }
    let one = try shape("a", 1)
    let other = try shape("b", 2)
    #expect(one.isCertain && other.isCertain)
    #expect(one.words == other.words)
    #expect(one.constants == [.text("a"), .integer(1)])
    #expect(other.constants == [.text("b"), .integer(2)])
  }

  @Test("properties, operators and their order are a part of it")
  func differences() throws {
    let number = 1
    let shapes = try [
      shape(#Predicate { $0.count < number }), shape(#Predicate { $0.count <= number }),
      shape(#Predicate { $0.count > number }), shape(#Predicate { $0.count >= number }),
      shape(#Predicate { $0.count == number }), shape(#Predicate { $0.count != number }),
      shape(#Predicate { number < $0.count }), shape(#Predicate { !($0.count < number) }),
      shape(#Predicate { $0.rank == number }),
      shape(#Predicate { $0.count < number && $0.isOpen }),
      shape(#Predicate { $0.count < number || $0.isOpen }),
      shape(#Predicate { $0.isOpen && $0.count < number }),
      shape(#Predicate { $0.count < number }, [SortDescriptor(\.count)]),
      shape(#Predicate { $0.count < number }, [SortDescriptor(\.count, order: .reverse)]),
      shape(#Predicate { $0.count < number }, [SortDescriptor(\.name)]),
      shape(#Predicate { $0.count < number }, [SortDescriptor(\.name, comparator: .lexical)]),
    ]
    #expect(!shapes.contains { !$0.isCertain })
    #expect(Set(shapes.map(\.words)).count == shapes.count)
  }

  @Test("a constant that has SQL of its own has none")
  func peculiarConstants() throws {
    func name(_ name: String) throws -> Bool { try shape(#Predicate { $0.name == name }).isCertain }
    func size(_ size: Double) throws -> Bool { try shape(#Predicate { $0.size < size }).isCertain }
    func rank(_ rank: Int?) throws -> Bool { try shape(#Predicate { $0.rank == rank }).isCertain }
    func day(_ date: Date) throws -> Bool { try shape(#Predicate { $0.date >= date }).isCertain }
    try #expect(name("plain") && !name("K") && !name("é"))
    try #expect(size(1) && !size(.nan))
    try #expect(rank(1) && !rank(nil))
    try #expect(day(.now) && !day(Date(timeIntervalSinceReferenceDate: .nan)))
  }

  @Test("queries whose SQL depends on constants have none")
  func otherNodes() throws {
    let number = 1
    let numbers = [1, 2]
    let big: UInt64 = 1
    let kind = Kind.ice
    try #expect(!shape(#Predicate { ($0.rank ?? 0) < number }).isCertain)
    try #expect(!shape(#Predicate { numbers.contains($0.count) }).isCertain)
    try #expect(!shape(#Predicate { $0.count + number == 2 }).isCertain)
    try #expect(!shape(#Predicate { $0.big == big }).isCertain)
    try #expect(!shape(#Predicate { $0.kind == kind }).isCertain)
    try #expect(!shape(#Predicate { $0.name.contains("a") }).isCertain)
    try #expect(!shape(#Predicate { _ in number == 1 }).isCertain)
  }

  private typealias IsOpen = PredicateExpressions.KeyPath<
    PredicateExpressions.Variable<Specimen>, Bool
  >

  @Test("a variable of another predicate has none")
  func foreignVariable() throws {
    let inner = #Predicate<Specimen> { $0.isOpen }
    let expression = try #require(inner.expression as? IsOpen)
    let predicate = Predicate<Specimen> { _ in expression }
    try #expect(!shape(predicate).isCertain)
    try #expect(shape(inner).isCertain)
  }

  @Test("the key paths that it was made of can be kept")
  func keyPaths() throws {
    let number = 1
    let shape = try shape(#Predicate { $0.count < number && $0.isOpen }, [SortDescriptor(\.size)])
    #expect(shape.keyPaths == [\Specimen.size, \Specimen.count, \Specimen.isOpen])
  }
}
