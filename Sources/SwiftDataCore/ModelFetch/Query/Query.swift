import Foundation

/// The results of a fetch as a property: what `@Query` makes of a variable.
///
/// ```swift
/// @MainActor
/// final class Sidebar: ModelContextProviding {
///   let modelContext: ModelContext
///   @Query(sort: \Trip.start, order: .reverse) var trips: [Trip]
/// }
/// ```
///
/// A query fetches when it is read first and follows the saves of every context of the container from then on;
/// reading it inside `withObservationTracking` or `Observations` tells of changes.
///
/// In SwiftUI the context comes from the environment. Here there are two ways: the type that has the property is a
/// ``ModelContextProviding``, or somebody calls ``bind(to:)`` on the underscored variable (`_trips.bind(to: context)`).
/// Without a context the results are empty and ``fetchError`` is ``SwiftDataError/missingModelContext``. In an
/// `@Observable` class write `@ObservationIgnored` in front of `@Query`.
@MainActor
@preconcurrency
public struct Query<Element: PersistentModel, Result>: Sendable {
  let storage: QueryStorage<Element, Result>

  init(_ storage: QueryStorage<Element, Result>) { self.storage = storage }

  /// The context that the models belong to; one that has no store before the query is bound.
  public var modelContext: ModelContext { storage.modelContext }

  /// Why the last fetch failed; nil when it didn't.
  public var fetchError: (any Error)? { storage.fetchError }

  /// The models, up to date with the last save.
  public var wrappedValue: Result { storage.result }

  /// Fetches again, which otherwise happens by itself.
  public nonisolated func update() {
    guard MainQueue.isCurrent else {
      Task { @MainActor in storage.update() }
      return
    }
    MainActor.assumeIsolated { storage.update() }
  }

  /// Gives the query the context to fetch from. An addition to Apple's interface, where the environment does it.
  ///
  /// - Parameter modelContext: A context of the main actor's.
  public func bind(to modelContext: ModelContext) { storage.bind(to: modelContext) }

  /// What `@Query` writes into the getter. The owner has no context to give.
  public func _value<Owner>(for owner: Owner) -> Result { wrappedValue }

  /// What `@Query` writes into the getter of an owner with a context.
  public func _value<Owner: ModelContextProviding>(for owner: Owner) -> Result {
    bind(to: owner.modelContext)
    return wrappedValue
  }
}

extension Query where Result == SectionedResults<Element, String> {
  /// The models in sections, up to date with the last save.
  public var sections: SectionedResults<Element, String> { wrappedValue }
}

/// A type that knows the context from which its `@Query` properties fetch. An addition to Apple's interface.
@MainActor
public protocol ModelContextProviding {
  var modelContext: ModelContext { get }
}
