import Foundation
import SwiftData
import SwiftDataExtras
import SwiftDataSync
import SwiftDataSyncHTTP

/// Measures how fast a client receives and sends, with a separate process for each measurement.
///
///     sync-speed record FOLDER COUNT     a server's pages of COUNT objects, as files
///     sync-speed pull FOLDER             the first pull of them
///     sync-speed push FOLDER COUNT       the push of COUNT edits of what was pulled, saved a hundred at a time
///     sync-speed raw FOLDER COUNT EDITS  the same rows by SQLite's C interface, and some of them again
///
/// Prints a JSON object; times in seconds.
@main
enum SpeedProgram {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  static func main() async {
    let words = CommandLine.arguments
    do {
      guard words.count >= 3 else {
        throw Failure("usage: sync-speed record|pull|push|raw FOLDER [COUNT [EDITS]]")
      }
      let folder = URL(filePath: words[2])
      let count = words.count > 3 ? Int(words[3]) : nil
      let edits = words.count > 4 ? Int(words[4]) ?? 0 : 0
      let figures: [String: Double]
      switch (words[1], count) {
      case ("record", .some(let count)) where count > 0:
        figures = try await record(count, in: folder)
      case ("pull", _): figures = try await pull(in: folder)
      case ("push", .some(let count)) where count > 0: figures = try await push(count, in: folder)
      case ("raw", .some(let count)) where count > 0: figures = try raw(count, edits, in: folder)
      default: throw Failure("\(words[1]) needs a number of objects, or isn't known")
      }
      let data = try JSONSerialization.data(withJSONObject: figures, options: .sortedKeys)
      print(String(decoding: data, as: UTF8.self))
    } catch {
      FileHandle.standardError.write(Data("sync-speed: \(error)\n".utf8))
      exit(1)
    }
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  private static func pages(_ folder: URL) -> URL { folder.appending(path: "pages") }

  // MARK: Server

  private static func record(_ count: Int, in folder: URL) async throws -> [String: Double] {
    try FileManager.default.createDirectory(
      at: pages(folder), withIntermediateDirectories: true)
    let container = try Sighting.container(folder.appending(path: "server.store"))
    for start in stride(from: 0, to: count, by: 1_000) {
      try container.batchInsert(
        (start..<min(count, start + 1_000)).lazy.map(Sighting.init), author: "somebody")
    }
    let server = try SyncServer(container, models: Sighting.models, rules: .everyoneSeesEverything)
    let clock = ContinuousClock()
    var (cursor, objects, bytes, spent): (String?, Int, Int, Duration) = (nil, 0, 0, .zero)
    while true {
      let start = clock.now
      let page = try await server.pull(after: cursor, user: "somebody")
      let text = SyncContract.page(page)
      spent += clock.now - start
      try Data(text).write(to: pages(folder).appending(path: "page\(cursor ?? "")"))
      objects += page.changes.count
      bytes += text.count
      cursor = page.cursor
      guard page.hasMore else { break }
    }
    return ["objects": Double(objects), "bytes": Double(bytes), "server": seconds(spent)]
  }

  private static func serve(_ folder: URL) throws -> ReplayServer {
    var recorded: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: pages(folder).path) {
      recorded[String(name.dropFirst("page".count))] = try Data(
        contentsOf: pages(folder).appending(path: name))
    }
    return try ReplayServer(recorded)
  }

  // MARK: Client

  private static func engine(
    _ container: ModelContainer, _ server: ReplayServer
  ) throws -> SyncEngine {
    guard let url = URL(string: "http://127.0.0.1:\(server.port)") else {
      throw Failure("no address")
    }
    var timing = SyncTiming()
    timing.pullInterval = nil
    return try SyncEngine(
      container, models: Sighting.models, transport: HTTPSyncTransport(url), timing: timing)
  }

  private static func pull(in folder: URL) async throws -> [String: Double] {
    let server = try serve(folder)
    let container = try Sighting.container(folder.appending(path: "client.store"))
    let engine = try engine(container, server)
    let clock = ContinuousClock()
    let start = clock.now
    try await engine.sync()
    let spent = seconds(clock.now - start)
    let objects = try ModelContext(container).fetchCount(FetchDescriptor<Sighting>())
    return ["objects": Double(objects), "seconds": spent, "persecond": Double(objects) / spent]
  }

  private static func push(_ count: Int, in folder: URL) async throws -> [String: Double] {
    // The pull after the push gets the last page, which is already known.
    let server = try serve(folder)
    let container = try Sighting.container(folder.appending(path: "client.store"))
    let context = ModelContext(container)
    var edited = FetchDescriptor<Sighting>(sortBy: [SortDescriptor(\.key)])
    edited.fetchLimit = count
    let sightings = try context.fetch(edited)
    for start in stride(from: 0, to: sightings.count, by: 100) {
      for sighting in sightings[start..<min(start + 100, sightings.count)] { sighting.guests += 1 }
      try context.save()
    }
    let engine = try engine(container, server)
    let pending = try await engine.pendingCount()
    let clock = ContinuousClock()
    let start = clock.now
    try await engine.sync()
    let spent = seconds(clock.now - start)
    let left = try await engine.pendingCount()
    guard pending == sightings.count, left == 0 else {
      throw Failure("\(pending) of \(sightings.count) edits were pending, \(left) are left")
    }
    let served = seconds(server.time)
    return [
      "edits": Double(pending), "seconds": spent - served, "server": served,
      "persecond": Double(pending) / (spent - served),
    ]
  }
}
