import Foundation
import ProcessTesting
import SwiftData
import SwiftDataSync
import SyncSamples
import TestSupport
import Testing

@Suite struct KilledProcessTests {
  /// Runs the program until it has printed a number of lines, then kills it.
  ///
  /// - Returns: The number in the last line that it printed, which it had saved.
  private func run(in folder: URL, lines: Int) async throws -> Int {
    let pipe = Pipe()
    let process = try await ChildProcess(
      ChildProcess.program("sync-program"), [folder.path], output: pipe.fileHandleForWriting,
      errors: .standardError)
    try pipe.fileHandleForWriting.close()
    var output = Data()
    while output.count(where: { $0 == 0x0A }) < lines {
      let more = pipe.fileHandleForReading.availableData
      if more.isEmpty { break }
      output += more
    }
    process.signal(SIGKILL)
    _ = try await process.end()
    output += pipe.fileHandleForReading.readDataToEndOfFile()
    let said = String(decoding: output, as: UTF8.self).split(separator: "\n")
    #expect(said.count >= lines, "the program ended by itself")
    return said.last.flatMap { Int($0.dropFirst("saved ".count)) } ?? 0
  }

  @Test func aProcessThatIsKilledLosesAndDoublesNothing() async throws {
    let place = try TemporaryFolder()
    let folder = place.url
    let rounds =
      TestEnvironment.number("OPENSWIFTDATA_TEST_SYNC_KILLS") ?? TestEnvironment.rounds(10)
    var random = SeededGenerator(seed: 5)
    var last = 0
    for _ in 0..<rounds {
      let lines = Int.random(in: 1...9, using: &random)
      last = max(last, try await run(in: folder, lines: lines))
    }
    let stores = try TallyStores(in: folder)
    func tallies(_ container: ModelContainer) throws -> [[Int]] {
      try ModelContext(container).fetch(
        FetchDescriptor<Tally>(sortBy: [SortDescriptor(\.number)])
      ).map { [$0.number, $0.count] }
    }
    let before = try tallies(stores.client)
    try await stores.engine.sync()
    #expect(try tallies(stores.client) == before)
    #expect(try tallies(stores.server) == before)
    for container in [stores.client, stores.server] {
      let all = try ModelContext(container).fetch(FetchDescriptor<Tally>())
      #expect(all.allSatisfy { $0.picture == Tally(number: $0.number).picture })
    }
    #expect(try await stores.engine.unsynced().isEmpty)
    #expect(try await stores.engine.conflicts().isEmpty)
    let expected = (1...last).filter { number in
      (number + 3) % 7 != 0 || number + 3 > before.last?.first ?? 0
    }
    #expect(before.compactMap(\.first).prefix(expected.count).elementsEqual(expected))
    // A process that is killed while it writes a file leaves an incomplete one, and one that is killed before it stores
    // a page leaves the attachments that it has fetched for it. Both are removed when they are old.
    let left = filesOnTheWay(in: folder)
    let age = SyncAttachmentLimits().pendingAge + 60
    for path in left {
      try FileManager.default.setAttributes(
        [.modificationDate: Date.now.addingTimeInterval(-age)],
        ofItemAtPath: folder.appending(path: path).path)
    }
    let context = ModelContext(stores.client)
    context.insert(Tally(number: 0))
    try context.save()
    try await stores.engine.sync()
    #expect(filesOnTheWay(in: folder) == [])
  }
}
