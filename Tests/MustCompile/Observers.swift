import Foundation
import SwiftData

@Model
final class TodoItem {
  var title: String
  var isDone = false

  init(title: String) {
    self.title = title
  }
}

@MainActor
func openTasks(_ container: ModelContainer) throws -> Int {
  let observer = try ResultsObserver<TodoItem, Never>(
    filterBy: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.title)],
    modelContext: container.mainContext)
  return observer.results.count
}

@ModelActor
actor TaskHistory {
  private var last: DefaultHistoryToken?

  /// Returns the identifiers of the changes since the last call, which may leave the actor.
  func changes() throws -> [PersistentIdentifier] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token = last { descriptor.predicate = #Predicate { $0.token > token } }
    let transactions = try modelContext.fetchHistory(descriptor)
    last = transactions.last?.token ?? last
    return transactions.flatMap { $0.changes.map(\.changedPersistentIdentifier) }
  }
}
