import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Shapes of queries")
struct QueryShapeTests {
  private let plan: EntityPlan

  init() throws { plan = try EntityPlan.plans(of: [Specimen.self, Owner.self])[0] }

  private func shape(
    _ predicate: Predicate<Specimen>, _ sort: [SortDescriptor<Specimen>] = []
  ) -> QueryShape? {
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
    return QueryShape(_FetchSummary(descriptor), of: plan) { sort }
  }

  @Test("constants aren't a part of it, and come in the order of the parameters")
  func constants() throws {
    func shape(_ name: String, _ count: Int) throws -> QueryShape {
      try #require(self.shape(#Predicate { $0.name == name && !($0.count < count) }))
    }
    let one = try shape("a", 1)
    let other = try shape("b", 2)
    #expect(one.words == other.words)
    #expect(one.constants == [.text("a"), .integer(1)])
    #expect(other.constants == [.text("b"), .integer(2)])
  }

  @Test("properties, operators and their order are a part of it")
  func differences() {
    let number = 1
    let shapes = [
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
    #expect(Set(shapes.compactMap { $0?.words }).count == shapes.count)
  }

  @Test("a constant that has SQL of its own has none")
  func peculiarConstants() {
    func name(_ name: String) -> Bool { shape(#Predicate { $0.name == name }) != nil }
    func size(_ size: Double) -> Bool { shape(#Predicate { $0.size < size }) != nil }
    func rank(_ rank: Int?) -> Bool { shape(#Predicate { $0.rank == rank }) != nil }
    func day(_ date: Date) -> Bool { shape(#Predicate { $0.date >= date }) != nil }
    #expect(name("plain") && !name("K") && !name("é"))
    #expect(size(1) && !size(.nan))
    #expect(rank(1) && !rank(nil))
    #expect(day(.now) && !day(Date(timeIntervalSinceReferenceDate: .nan)))
  }

  @Test("queries whose SQL depends on constants have none")
  func otherNodes() {
    let number = 1
    let numbers = [1, 2]
    let big: UInt64 = 1
    let kind = Kind.ice
    #expect(shape(#Predicate { ($0.rank ?? 0) < number }) == nil)
    #expect(shape(#Predicate { numbers.contains($0.count) }) == nil)
    #expect(shape(#Predicate { $0.count + number == 2 }) == nil)
    #expect(shape(#Predicate { $0.big == big }) == nil)
    #expect(shape(#Predicate { $0.kind == kind }) == nil)
    #expect(shape(#Predicate { $0.name.contains("a") }) == nil)
    #expect(shape(#Predicate { _ in number == 1 }) == nil)
  }

  private typealias IsOpen = PredicateExpressions.KeyPath<
    PredicateExpressions.Variable<Specimen>, Bool
  >

  @Test("a variable of another predicate has none")
  func foreignVariable() throws {
    let inner = #Predicate<Specimen> { $0.isOpen }
    let expression = try #require(inner.expression as? IsOpen)
    let predicate = Predicate<Specimen> { _ in expression }
    #expect(shape(predicate) == nil)
    #expect(shape(inner) != nil)
  }

  @Test("the key paths that it was made of can be kept")
  func keyPaths() throws {
    let number = 1
    let shape = shape(#Predicate { $0.count < number && $0.isOpen }, [SortDescriptor(\.size)])
    #expect(try #require(shape).keyPaths == [\Specimen.size, \Specimen.count, \Specimen.isOpen])
  }
}
