import Foundation
import SwiftData
import Testing

@testable import SwiftDataSQLite

@Suite("The index of the write-ahead log", .timeLimit(.minutes(20)))
struct LogIndexTests {
  @Test("a connection opened before there was a log doesn't keep the index of a deleted one")
  func early() throws {
    let place = try ParcelPlace()
    try Data().write(to: place.file)
    // Like a watcher that reads while another process is creating the store.
    let other = try Connection(.resolving(place.file), role: .reader, isReadOnly: false)
    #expect(other.commitMark == nil)
    // The last connection to close removes the log.
    do { _ = try place.container() }
    let container = try place.container()
    let context = ModelContext(container)
    context.insert(Parcel("new"))
    try context.save()
    #expect(try place.container().parcels(named: "new").count == 1)
    #expect(other.commitMark != nil)
  }

  @Test("a file without a log gets no index by a question for the last commit")
  func noLog() throws {
    let place = try ParcelPlace()
    try SQLiteFile(place.file).run("CREATE TABLE other (x)")
    let connection = try Connection(.resolving(place.file), role: .reader, isReadOnly: false)
    #expect(connection.commitMark == nil)
    #expect(connection.logExtent == nil)
    #expect(!FileManager.default.fileExists(atPath: place.file.path + "-shm"))
  }
}
