import Foundation
import SwiftDataCore
import SwiftDataSQL
import Testing

@Suite("Table definitions")
struct TableDefinitionTests {
  @Test func ownersTableIndexAndView() throws {
    let plan = try #require(try EntityPlan.plans(of: [Owner.self]).first)
    let statements = TableDefinition.statements(
      for: plan, plans: [ObjectIdentifier(Owner.self): plan], dialect: SQLiteDialect())
    #expect(
      statements == [
        """
        CREATE TABLE "Owner" (
          "_id" INTEGER PRIMARY KEY,
          "name" TEXT NOT NULL,
          "age" INTEGER,
          "home_name" TEXT NOT NULL,
          "home_note" TEXT,
          "home_depth" REAL,
          "home_point_latitude" REAL NOT NULL,
          "home_point_longitude" REAL,
          "home_isNear" INTEGER NOT NULL,
          "parent" INTEGER REFERENCES "Owner" ("_id") ON DELETE SET NULL\
         DEFERRABLE INITIALLY DEFERRED
        )
        """,
        #"CREATE INDEX "Owner_parent_index" ON "Owner" ("parent")"#,
        """
        CREATE VIEW "Owner_readable" AS SELECT
          "_id",
          "name",
          "age",
          "home_name",
          "home_note",
          "home_depth",
          "home_point_latitude",
          "home_point_longitude",
          "home_isNear",
          "parent"
        FROM "Owner"
        """,
      ])
  }

  @Test func viewShowsDatesAndIdentifiersAsPeopleWriteThem() throws {
    let specimen = Specimen()
    specimen.date = Date(timeIntervalSinceReferenceDate: 0.25)
    specimen.updated = Date(timeIntervalSinceReferenceDate: .nan)
    specimen.key = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
    let laboratory = try Laboratory([specimen])
    let rows = try laboratory.database.rows(
      #"SELECT "date", "updated", "key" FROM "Specimen_readable""#, columns: 3)
    #expect(
      rows == [["2001-01-01T00:00:00.250Z", "NaN", "01234567-89AB-CDEF-0123-456789ABCDEF"]])
  }

  @Test func uniqueValuesAreUnique() throws {
    let first = Specimen()
    let second = Specimen()
    first.code = "same"
    second.code = "same"
    #expect(throws: SQLiteFailure.self) { try Laboratory([first, second]) }
  }

  @Test func namesAreQuoted() {
    #expect(SQLIdentifier.quoted("order") == "\"order\"")
    #expect(SQLIdentifier.quoted("a\"b") == "\"a\"\"b\"")
    #expect(SQLIdentifier.literal("it's") == "'it''s'")
  }
}
