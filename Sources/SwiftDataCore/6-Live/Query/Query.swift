import Foundation

/// The results of a fetch as a property: `@Query` turns a variable into one.
///
/// ```swift
/// @MainActor
/// final class Sidebar: ModelContextProviding {
///   let modelContext: ModelContext
///   @Query(sort: \Trip.start, order: .reverse) var trips: [Trip]
///
///   init(_ container: ModelContainer) { modelContext = container.mainContext }
/// }
/// ```
///
/// A query fetches when it is first read and follows the saves of every context of the container from then on; reading
/// it inside `withObservationTracking` or `Observations` reports changes.
///
/// In SwiftUI the context comes from the environment. Here there are two ways: the type that has the property conforms
/// to ``ModelContextProviding``, or the program calls ``bind(to:)`` on the underscored variable (`_trips.bind(to:
/// context)`). Without a context the results are empty and ``fetchError`` is ``SwiftDataError/missingModelContext``. In
/// an `@Observable` class write `@ObservationIgnored` in front of `@Query`.
@MainActor
@preconcurrency
public struct Query<Element: PersistentModel, Result>: Sendable {
  let storage: QueryStorage<Element, Result>

  init(_ storage: QueryStorage<Element, Result>) { self.storage = storage }

  /// The context that the models belong to; a context without a store before the query is bound.
  public var modelContext: ModelContext { storage.modelContext }

  /// The error of the last fetch; nil when it succeeded.
  public var fetchError: (any Error)? { storage.fetchError }

  /// The models, up to date with the last save.
  public var wrappedValue: Result { storage.result }

  /// Fetches again, which otherwise happens automatically.
  public nonisolated func update() {
    guard MainQueue.isCurrent else {
      Task { @MainActor in storage.update() }
      return
    }
    MainActor.assumeIsolated { storage.update() }
  }

  /// Sets the context to fetch from. An addition to Apple's interface, where the environment provides it.
  ///
  /// - Parameter modelContext: A context of the main actor.
  public func bind(to modelContext: ModelContext) { storage.bind(to: modelContext) }

  /// The results, for the getter that `@Query` writes. The owner provides no context.
  public func _value<Owner>(for owner: Owner) -> Result { wrappedValue }

  /// The results, for the getter that `@Query` writes for an owner with a context.
  public func _value<Owner: ModelContextProviding>(for owner: Owner) -> Result {
    bind(to: owner.modelContext)
    return wrappedValue
  }
}

extension Query where Result == SectionedResults<Element, String> {
  /// The models in sections, up to date with the last save.
  public var sections: SectionedResults<Element, String> { wrappedValue }
}

/// A type with the context from which its `@Query` properties fetch. An addition to Apple's interface.
@MainActor
public protocol ModelContextProviding {
  /// The context of the queries.
  var modelContext: ModelContext { get }
}
