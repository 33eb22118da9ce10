import Foundation
import SwiftData
import SwiftDataCore

/// Processes that share a store on a PostgreSQL server, for `make acceptance ONLY=postgres`:
///
///     postgres-program seed URL STORE
///     postgres-program write URL STORE WRITER SAVES    adds SAVES times, and prints each acknowledged addition
///     postgres-program read URL STORE TRANSACTIONS     reads the history as a consumer until it has that many
///     postgres-program check URL STORE                 prints the additions, the total and the transactions
@main
enum PostgresProgram {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      switch (words.first, words.count) {
      case ("seed", 3): try seed(words[1], words[2])
      case ("write", 5): try Writer(words).run()
      case ("read", 4): try await read(words[1], words[2], Int(words[3]) ?? 0)
      case ("check", 3): try check(words[1], words[2])
      default: throw Misuse()
      }
    } catch {
      FileHandle.standardError.write(Data("postgres-program \(words.first ?? ""): \(error)\n".utf8))
      exit(1)
    }
  }

  struct Misuse: Error {}

  private static func seed(_ url: String, _ store: String) throws {
    let container = try Ledger.container(url, store)
    let context = ModelContext(container)
    context.insert(Total(0))
    try context.save()
    try container.registerHistoryConsumer("reader", at: container.currentHistoryToken())
  }

  /// Prints how many transactions came, and whether each came once and in order.
  private static func read(_ url: String, _ store: String, _ count: Int) async throws {
    let container = try Ledger.container(url, store)
    var numbers: [Int64] = []
    for try await transaction in try container.remoteChanges(for: "reader") {
      numbers.append(transaction.transactionIdentifier)
      if numbers.count == count { break }
    }
    let isComplete = zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }
    print("{\"transactions\":\(numbers.count),\"complete\":\(isComplete)}")
  }

  private static func check(_ url: String, _ store: String) throws {
    let context = ModelContext(try Ledger.container(url, store))
    let total = try context.fetch(FetchDescriptor<Total>()).map(\.value)
    let additions = try context.fetch(FetchDescriptor<Addition>())
      .map { "\"\($0.writer) \($0.number)\"" }
    let numbers = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .map { Int($0.transactionIdentifier) }
    let hasGap = numbers != Array(1...max(1, numbers.count))
    print(
      "{\"total\":\(total.first ?? -1),\"additions\":[\(additions.joined(separator: ","))],"
        + "\"transactions\":\(numbers.count),\"gap\":\(hasGap)}")
  }
}

/// Adds to the total under the policy that refuses to overwrite.
struct Writer {
  let container: ModelContainer
  let writer: Int
  let saves: Int

  init(_ words: [String]) throws {
    guard let writer = Int(words[3]), let saves = Int(words[4]) else {
      throw PostgresProgram.Misuse()
    }
    container = try Self.patiently { try Ledger.container(words[1], words[2]) }
    self.writer = writer
    self.saves = saves
  }

  func run() throws {
    let context = ModelContext(container)
    context.mergePolicy = .error
    var counts = (conflicts: 0, failures: 0, uncertain: 0)
    for number in 1...max(1, saves) {
      while true {
        do {
          try add(number, context)
          break
        } catch is MergeConflictError {
          counts.conflicts += 1
          context.rollback()
        } catch let error as StoreError where Self.isTemporary(error) {
          counts.failures += 1
          context.rollback()
          if error.code == .connectionLost, try Self.patiently({ try isStored(number) }) {
            counts.uncertain += 1
            break
          }
        }
      }
      // Before the next one begins: what is printed is stored.
      FileHandle.standardOutput.write(Data("a \(writer) \(number)\n".utf8))
    }
    print("c \(counts.conflicts) \(counts.failures) \(counts.uncertain)")
  }

  private func add(_ number: Int, _ context: ModelContext) throws {
    guard let total = try context.fetch(FetchDescriptor<Total>()).first else {
      throw PostgresProgram.Misuse()
    }
    total.value += 1
    context.insert(Addition(writer: writer, number: number))
    try context.save()
  }

  private func isStored(_ number: Int) throws -> Bool {
    let writer = writer
    return try ModelContext(container).fetchCount(
      FetchDescriptor<Addition>(
        predicate: #Predicate { $0.writer == writer && $0.number == number })) > 0
  }

  /// Repeats a request while the server is starting again.
  private static func patiently<Value>(_ body: () throws -> Value) throws -> Value {
    let end = Date.now.addingTimeInterval(120)
    while true {
      do { return try body() } catch let error as StoreError
        where isTemporary(error) && Date.now < end
      {
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  private static func isTemporary(_ error: StoreError) -> Bool {
    [.connectionLost, .noServer, .busy, .tooManyConnections, .timedOut].contains(error.code)
  }
}
