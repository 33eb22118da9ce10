import Foundation
import Observation

/// The state that the copies of a query share: the context and the observer that does the work.
@MainActor
final class QueryStorage<Element: PersistentModel, Result>: Observable {
  /// An observer without the type of its sections.
  struct Source {
    let result: () -> Result
    let update: () -> Void
    let error: () -> (any Error)?
  }

  private let makeSource: (ModelContext) throws -> Source
  private let empty: () -> Result
  private let registrar = ObservationRegistrar()
  private var context: ModelContext?
  private var source: Source?
  private var failure: (any Error)?

  init(empty: @escaping () -> Result, _ makeSource: @escaping (ModelContext) throws -> Source) {
    self.empty = empty
    self.makeSource = makeSource
  }

  /// The context in use; without one, a context that has no store, as SwiftUI provides where there is no container.
  var modelContext: ModelContext {
    registrar.access(self, keyPath: \.modelContext)
    if let context { return context }
    return ModelContext(ModelContainer(schema: Schema(), migrationPlan: nil, stores: []))
  }

  func bind(to modelContext: ModelContext) {
    guard context !== modelContext else { return }
    registrar.withMutation(of: self, keyPath: \.modelContext) {
      context = modelContext
      source = nil
      failure = nil
    }
  }

  var result: Result {
    registrar.access(self, keyPath: \.modelContext)
    return opened()?.result() ?? empty()
  }

  var fetchError: (any Error)? {
    registrar.access(self, keyPath: \.modelContext)
    guard let source = opened() else { return failure }
    return source.error()
  }

  func update() {
    let isOpen = source != nil
    let source = opened()
    if isOpen { source?.update() }
  }

  /// The source, made when it is first needed. A failure is kept until the next attempt.
  private func opened() -> Source? {
    if let source { return source }
    guard let context else {
      failure = SwiftDataError.missingModelContext.explained(
        "The query on \(Element.self) has no context. Make the type that has it a"
          + " ModelContextProviding, or call bind(to:).")
      return nil
    }
    do {
      let made = try makeSource(context)
      source = made
      failure = nil
      return made
    } catch {
      failure = error
      return nil
    }
  }
}
