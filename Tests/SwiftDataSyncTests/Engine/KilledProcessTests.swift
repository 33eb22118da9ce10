import Foundation
import SwiftData
import SwiftDataSync
import SyncSamples
import Testing

@Suite struct KilledProcessTests {
  private struct Missing: Error {}

  private func program() throws -> URL {
    var place = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
    while place.path != "/" {
      place.deleteLastPathComponent()
      let candidate = place.appendingPathComponent("sync-program")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    }
    throw Missing()
  }

  /// Runs the program until it has said so many lines, then kills it.
  ///
  /// - Returns: The last number that it said it had saved.
  private func run(in folder: URL, lines: Int) throws -> Int {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = try program()
    process.arguments = [folder.path]
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    var output = Data()
    while output.count(where: { $0 == 0x0A }) < lines {
      let more = pipe.fileHandleForReading.availableData
      if more.isEmpty { break }
      output += more
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    output += pipe.fileHandleForReading.readDataToEndOfFile()
    let said = String(decoding: output, as: UTF8.self).split(separator: "\n")
    #expect(said.count >= lines, "the program ended by itself")
    return said.last.flatMap { Int($0.dropFirst("saved ".count)) } ?? 0
  }

  @Test func aProcessThatIsKilledLosesAndDoublesNothing() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["SYNC_KILLS"].flatMap(Int.init) ?? 10
    var random = SeededGenerator(seed: 5)
    var last = 0
    for _ in 0..<rounds {
      last = max(last, try run(in: folder, lines: Int.random(in: 1...9, using: &random)))
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
    #expect(filesOnTheWay(in: folder) == [])
    #expect(try await stores.engine.unsynced().isEmpty)
    #expect(try await stores.engine.conflicts().isEmpty)
    let expected = (1...last).filter { number in
      (number + 3) % 7 != 0 || number + 3 > before.last?.first ?? 0
    }
    #expect(before.compactMap(\.first).prefix(expected.count).elementsEqual(expected))
  }
}
