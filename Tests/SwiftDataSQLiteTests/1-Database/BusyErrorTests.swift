import CSQLite
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("The error of a locked file")
struct BusyErrorTests {
  @Test(
    "names a batch of the program beside other programs", arguments: [SQLITE_BUSY, SQLITE_LOCKED])
  func writers(resultCode: Int32) {
    let error = StoreError.sqlite(resultCode, nil, path: "x.store")
    #expect(error.code == .busy)
    #expect(error.explanation.contains("another program, or a batch of this one"))
  }
}
