import CMappedFiles
import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import Testing

@testable import SwiftDataSQLite

/// Each test runs in a process of its own: signal handlers belong to the whole process, and a
/// failure ends it.
@Suite("A mapped file", .timeLimit(.minutes(20)))
struct MappedFileTests {
  /// Returns a store of several megabytes that is in its file, not in a log.
  private static func store(_ temporary: TemporaryStore) throws -> DefaultStore {
    // The log is checkpointed when the container is released.
    try container(temporary).batchInsert((0..<20_000).lazy.map { Entry($0) })
    return try #require(container(temporary).core.stores.first as? DefaultStore)
  }

  private static func container(_ temporary: TemporaryStore) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Entry.self]), configurations: ModelConfiguration(url: temporary.file))
  }

  private static func count(_ connection: Connection, cutting: TemporaryStore?) throws -> Int {
    let statement = try connection.statement("SELECT * FROM \"Entry\"")
    defer { statement.reset() }
    var count = 0
    while try statement.step() {
      _ = statement.row(from: 0)
      count += 1
      if count == 100, let cutting {
        guard truncate(cutting.file.path, 8 * 4_096) == 0 else {
          throw CocoaError(.fileWriteUnknown)
        }
      }
    }
    return count
  }

  @Test("that is cut off while it is read gives an error, and no rows of zeros")
  func cutOff() async {
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryStore()
      let store = try Self.store(temporary)
      let before = try store.withReader { connection in
        try #require(connection.isMapped)
        return try Self.count(connection, cutting: nil)
      }
      try #require(before == 20_000)
      try #require(swift_data_mapping_failures() == 0)
      do {
        let count = try store.withReader { try Self.count($0, cutting: temporary) }
        Issue.record("\(count) rows of a file that was cut off")
      } catch let error as StoreError {
        try #require(error.code == .inputOutput, "\(error)")
      }
      try #require(swift_data_mapping_failures() > 0)
      // Repeated reads don't end the process either.
      for _ in 0..<3 {
        do { _ = try store.withReader { try Self.count($0, cutting: nil) } } catch is StoreError {}
      }
    }
  }

  /// Makes a file whose pages are in the order of its rows.
  private static func makeFile(_ file: URL, bytesPerRow: Int) throws {
    let connection = try Connection(
      .resolving(file), role: .writer, isReadOnly: false, creates: true)
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, content BLOB)")
    try connection.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO t SELECT i, zeroblob(\(bytesPerRow)) FROM n
      """)
  }

  /// Reads all rows of such a file, which loses its end meanwhile.
  private static func readAll(_ file: URL, cuttingTo pages: Int) throws {
    let connection = try Connection(
      .resolving(file), role: .reader, isReadOnly: false, mapsFile: true)
    try #require(connection.isMapped)
    do {
      let statement = try connection.statement("SELECT id, content FROM t")
      defer { statement.reset() }
      var count = 0
      while try statement.step() {
        _ = statement.row(from: 0)
        count += 1
        if count == 100, truncate(file.path, pages * 4_096) != 0 {
          throw CocoaError(.fileWriteUnknown)
        }
      }
    } catch is StoreError {}
    let error = #expect(throws: StoreError.self, "\(pages) pages") {
      try connection.checkMapping()
    }
    #expect(error?.code == .inputOutput)
  }

  /// SQLite reads the overflow pages and the last page of a mapped file in other ways than the rest: which ones depends
  /// on its version.
  @Test("gives an error wherever it is cut off: in long rows, at its last page")
  func cutOffAnywhere() async {
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryStore()
      // Long rows: two of them have one page, and an overflow page each.
      for (bytes, cuts) in [(6_000, Array(400..<406) + [-1]), (1_000, [-1])] {
        for cut in cuts {
          let file = temporary.folder.appending(path: "rows-\(bytes)-\(cut)")
          try Self.makeFile(file, bytesPerRow: bytes)
          let size = try #require(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize)
          try Self.readAll(file, cuttingTo: cut < 0 ? size / 4_096 + cut : cut)
        }
      }
    }
  }

  /// Reads mapped memory after the file was truncated below it.
  private static func readGonePage(in folder: URL) throws -> UInt8 {
    let file = folder.appending(path: "other").path
    let descriptor = open(file, O_RDWR | O_CREAT, 0o600)
    guard descriptor >= 0, ftruncate(descriptor, 8_192) == 0,
      let memory = mmap(nil, 8_192, PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED,
      ftruncate(descriptor, 0) == 0
    else { throw CocoaError(.fileReadUnknown) }
    return memory.load(as: UInt8.self)
  }

  @Test("doesn't change the effect of other signals")
  func signalsOfOthers() async throws {
    // The process ends before it could remove a folder of its own.
    let kept = try TemporaryStore()
    await #expect(processExitsWith: .signal(SIGBUS)) { [path = kept.folder.path as String] in
      let temporary = TemporaryStore(of: URL(filePath: path))
      let store = try Self.store(temporary)
      try #require(try store.withReader { $0.isMapped })
      print(try Self.readGonePage(in: temporary.folder))
    }
    withExtendedLifetime(kept) {}
  }

  @Test("hands them on to the handler that was there before")
  func earlierHandler() async throws {
    // The process ends before it could remove a folder of its own.
    let kept = try TemporaryStore()
    await #expect(processExitsWith: .success) { [path = kept.folder.path as String] in
      signal(SIGBUS) { _ in _exit(EXIT_SUCCESS) }
      let temporary = TemporaryStore(of: URL(filePath: path))
      let store = try Self.store(temporary)
      try #require(try store.withReader { $0.isMapped })
      print(try Self.readGonePage(in: temporary.folder))
      _exit(EXIT_FAILURE)
    }
    withExtendedLifetime(kept) {}
  }

  @Test("isn't made when a program has put its own handler in place later")
  func laterHandler() async {
    await #expect(processExitsWith: .success) {
      try #require(swift_data_mapped_file_system() != nil)
      signal(SIGBUS, SIG_DFL)
      let temporary = try TemporaryStore()
      let store = try Self.store(temporary)
      let count = try store.withReader { connection in
        try #require(!connection.isMapped)
        return try Self.count(connection, cutting: nil)
      }
      try #require(count == 20_000)
    }
  }
}
