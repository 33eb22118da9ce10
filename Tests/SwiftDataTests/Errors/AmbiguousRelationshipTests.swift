import Foundation
import SwiftData
import Testing

@testable import SwiftDataCore

/// A relationship with an ambiguous inverse works in one direction only, which looks like lost data unless it is
/// reported.
@Suite("Relationships with an ambiguous inverse")
struct AmbiguousRelationshipTests {
  @Model
  final class Writer {
    var books: [Work] = []
    var drafts: [Work] = []
    init() {}
  }

  @Model
  final class Work {
    var writer: Writer?
    init() {}
  }

  @Model
  final class Reader {
    @Relationship(inverse: \Loan.reader) var loans: [Loan] = []
    @Relationship(inverse: nil) var returned: [Loan] = []
    init() {}
  }

  @Model
  final class Loan {
    var reader: Reader?
    init() {}
  }

  @Test("are named, with the candidates and the code to write")
  func named() throws {
    let ambiguities = RelationshipResolution([Writer.self, Work.self]).ambiguities
    let text = try #require(ambiguities.first)
    #expect(ambiguities.count == 1)
    #expect(text.contains("Work.writer"))
    #expect(text.contains("Writer.books and Writer.drafts"))
    #expect(text.contains("@Relationship(inverse:)"))
  }

  @Test("don't exist where the source names the inverse")
  func decided() {
    #expect(RelationshipResolution([Reader.self, Loan.self]).ambiguities.isEmpty)
  }
}
