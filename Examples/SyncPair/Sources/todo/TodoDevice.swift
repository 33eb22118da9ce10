import Foundation
import SwiftData
import SwiftDataSync
import SwiftDataSyncHTTP
import Todos

/// A device of the user Ann: `todo STORE SERVER add TEXT`, `… done TEXT` or `… list`.
///
/// Each command works on the device's store first, so it works without the server, too. The next
/// command that reaches the server sends what waits.
@main
struct TodoDevice {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3, let address = URL(string: arguments[2]),
      let token = ProcessInfo.processInfo.environment["TODO_TOKEN"]
    else {
      print("usage: TODO_TOKEN=… todo STORE SERVER add TEXT | done TEXT | list")
      exit(64)
    }
    let container = try Todo.container(arguments[1])
    let context = ModelContext(container)
    switch (arguments[3], arguments.dropFirst(4).first) {
    case ("add", let text?):
      context.insert(Todo(text, owner: "ann"))
    case ("done", let text?):
      let matching = FetchDescriptor<Todo>(predicate: #Predicate { $0.text == text })
      for todo in try context.fetch(matching) { todo.isDone = true }
    default: break
    }
    try context.save()

    let engine = try SyncEngine(
      container, models: Todo.synced,
      transport: HTTPSyncTransport(address.appending(path: "sync")) { token })
    do { try await engine.sync() } catch { print("Not exchanged: \(error.localizedDescription)") }

    let byText = FetchDescriptor<Todo>(sortBy: [SortDescriptor(\.text)])
    for todo in try ModelContext(container).fetch(byText) {
      print(todo.isDone ? "[x]" : "[ ]", todo.text)
    }
  }
}
