import CSQLite
import Foundation
import SwiftDataCore
import TestSupport
import Testing

@testable import SwiftDataSQLite

@Suite("The SQLite that a program uses")
struct SQLiteLibraryTests {
  @Test(
    "has to be new enough, and made for several threads",
    arguments: [
      (3_037_000, 1, nil), (3_050_004, 2, nil), (3_036_000, 1, "3.37"),
      (3_050_004, 0, "SQLITE_THREADSAFE"),
    ] as [(Int32, Int32, String?)])
  func versions(version: Int32, threadSafety: Int32, problem: String?) {
    let found = SQLiteLibrary.problem(version: version, threadSafety: threadSafety)
    #expect((found == nil) == (problem == nil))
    if let problem { #expect(found?.contains(problem) == true) }
  }

  /// `make acceptance ONLY=package ITEMS=11` runs the suites with another SQLite than the system's.
  @Test(
    "is the one that the tests are run with",
    .enabled(
      if: TestEnvironment.text("OPENSWIFTDATA_TEST_SQLITE_VERSION") != nil,
      "is about another SQLite"))
  func version() {
    #expect(
      String(cString: sqlite3_libversion())
        == TestEnvironment.text("OPENSWIFTDATA_TEST_SQLITE_VERSION"))
    for option in ["ENABLE_PREUPDATE_HOOK", "ENABLE_FTS5", "ENABLE_RTREE", "DQS=0"] {
      #expect(sqlite3_compileoption_used(option) == 1, "\(option)")
    }
  }

  @Test(
    "has to have the modules of the models' indices, which an error names",
    arguments: [
      ([], nil), ([.fts5], nil), ([.rtree], "SQLITE_ENABLE_RTREE"),
      ([.fts5, .rtree], "SQLITE_ENABLE_RTREE"),
    ] as [([SQLiteLibrary.Module], String?)])
  func modules(modules: [SQLiteLibrary.Module], option: String?) throws {
    let connection = try Connection(
      .memory(name: UUID().uuidString), role: .writer, isReadOnly: false)
    try SQLiteLibrary.check([.fts5, .rtree], on: connection)
    // As if it had been compiled without the others.
    "fts5".withCString { name in
      var kept: [UnsafePointer<CChar>?] = [name, nil]
      sqlite3_drop_modules(connection.handle, &kept)
    }
    guard let option else { return try SQLiteLibrary.check(modules, on: connection) }
    let error = #expect(throws: StoreError.self) {
      try SQLiteLibrary.check(modules, on: connection)
    }
    #expect(error?.code == .unsuitableLibrary)
    #expect(error?.explanation.contains(option) == true)
  }
}
