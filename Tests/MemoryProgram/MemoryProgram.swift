import Foundation
import SwiftData
import SwiftDataExtras

/// Measures the memory of an import and of a live list, in a separate process.
///
///     memory-program import FILE COUNT     inserts COUNT events in one batch
///     memory-program live FILE ADDED       lists all events, shows the first hundred, and follows a batch of ADDED
///
/// Prints a JSON object. Sizes are resident bytes. Those of the list exclude the mapped parts of the file (`mapped`),
/// which the system can reclaim.
@main
enum MemoryProgram {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func main() async {
    let arguments = CommandLine.arguments
    do {
      guard arguments.count == 4, let count = Int(arguments[3]), count >= 0 else {
        throw Failure(description: "usage: memory-program import|live FILE COUNT")
      }
      let container = try ModelContainer(
        for: Tremor.self, configurations: ModelConfiguration(url: URL(filePath: arguments[2])))
      switch arguments[1] {
      case "import": try report(importing(count, into: container))
      case "live": try report(try await following(count, of: container))
      default: throw Failure(description: "\(arguments[1]): neither import nor live")
      }
    } catch {
      FileHandle.standardError.write(Data("memory-program: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func report(_ figures: [String: Int]) throws {
    let data = try JSONSerialization.data(withJSONObject: figures, options: .sortedKeys)
    print(String(decoding: data, as: UTF8.self))
  }

  private static func importing(
    _ count: Int, into container: ModelContainer
  ) throws -> [String: Int] {
    let before = try resident("VmRSS")
    var number = 0
    let summary = try container.batchInsert(author: "import") { () -> Tremor? in
      guard number < count else { return nil }
      defer { number += 1 }
      return Tremor(number)
    }
    return ["before": before, "peak": try resident("VmHWM"), "inserted": summary.inserted]
  }

  @MainActor
  private static func following(
    _ added: Int, of container: ModelContainer
  ) async throws -> [String: Int] {
    // Memory that a first, small fetch needs would be used without the list, too.
    var first = FetchDescriptor<Tremor>()
    first.fetchLimit = 1
    _ = try ModelContext(container).fetch(first)
    let before = try resident("RssAnon")
    let list = try ResultsObserver<Tremor, Never>(
      sortBy: [SortDescriptor(\.time, order: .reverse)], modelContext: container.mainContext)
    let count = list.results.count
    let page = list.results.prefix(100).map(\.code)
    let shown = try resident("RssAnon")
    let mapped = try resident("RssFile")
    try await insert(added, after: count, into: container)
    while list.results.count < count + added { await change(of: list) }
    // The page still exists, perhaps with newer events.
    let now = list.results.prefix(100).map(\.code)
    guard page.count == min(100, count), now.count == min(100, count + added) else {
      throw Failure(description: "the first page has \(page.count) and then \(now.count) events")
    }
    return [
      "before": before, "shown": shown, "mapped": mapped, "followed": try resident("RssAnon"),
      "listed": list.results.count,
    ]
  }

  @concurrent
  private nonisolated static func insert(
    _ added: Int, after count: Int, into container: ModelContainer
  ) async throws {
    try container.batchInsert((count..<count + added).lazy.map(Tremor.init))
  }

  @MainActor
  private static func change(of list: ResultsObserver<Tremor, Never>) async {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    withObservationTracking {
      _ = list.results.count
    } onChange: {
      continuation.yield()
    }
    for await _ in changes { break }
    await Task.yield()
  }

  /// Returns a memory size of this process, from /proc.
  private static func resident(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    guard let words = line?.split(whereSeparator: \.isWhitespace), words.count == 3,
      let kibibytes = Int(words[1])
    else { throw Failure(description: "/proc/self/status doesn't tell \(name)") }
    return kibibytes * 1024
  }
}
