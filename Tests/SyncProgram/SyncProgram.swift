import Foundation
import SwiftData
import SyncSamples

/// Saves, pushes and pulls until it is killed, and prints the numbers that it has saved.
///
///     sync-program FOLDER
@main
enum SyncProgram {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: sync-program FOLDER")
      exit(2)
    }
    let stores = try TallyStores(in: URL(fileURLWithPath: CommandLine.arguments[1]))
    let context = ModelContext(stores.client)
    let last = try context.fetch(
      FetchDescriptor<Tally>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    ).first
    var number = last?.number ?? 0
    while true {
      number += 1
      let tally = Tally(number: number)
      context.insert(tally)
      for other in try context.fetch(FetchDescriptor<Tally>(sortBy: [SortDescriptor(\.count)]))
        .prefix(2)
      { other.count += 1 }
      if number % 7 == 0 {
        let gone = number - 3
        try context.delete(model: Tally.self, where: #Predicate { $0.number == gone })
      }
      try context.save()
      print("saved \(number)")
      fflush(nil)
      if number % 2 == 0 { try await stores.engine.sync() }
    }
  }
}
