extension ModelContext {
  /// Calls `block` with each model that `fetch` selects, a batch at a time, and releases each batch.
  ///
  /// Unsaved changes keep models alive. Those of the last batch stay pending, as outside of an enumeration.
  ///
  /// - Parameters:
  ///   - batchSize: The maximum number of models that are alive at the same time.
  ///   - allowEscapingMutations: Whether changes that `block` makes may stay pending when the next batch begins.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` for unsaved changes at the call or, of a batch, when there is
  ///   another one, unless `allowEscapingMutations` is true. They stay pending. Errors of `block` and of the store.
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    if !allowEscapingMutations, hasChanges { throw Self.dirtyEnumeration }
    let map = try identityMap(for: T.self)
    let identifiers = try enumeratedIdentifiers(fetch)
    // A save by the block gives them rows, and their former identifiers lead nowhere then. Unique values may make them
    // one model with another that is enumerated.
    var unsaved: [PersistentIdentifier: T] = [:]
    for identifier in identifiers where identifier.isTemporary {
      unsaved[identifier] = registeredModel(for: identifier)
    }
    let rowIDs = unsaved.isEmpty ? [] : Set(identifiers.compactMap { map.store.rowID(for: $0) })
    var given = GivenModels<T>()
    let size = max(1, batchSize)
    for start in stride(from: 0, to: identifiers.count, by: size) {
      let batch = identifiers[start..<min(start + size, identifiers.count)]
      let held: [T] = try load(batch.compactMap { map.store.rowID(for: $0) }, in: map)
      defer { withExtendedLifetime(held) {} }
      for identifier in batch {
        if let rowID = map.store.rowID(for: identifier) {
          guard let model = try existingModel(rowID, as: T.self),
            !given.contains(model),
            // Models that were deleted before are left out by the fetch, unless it doesn't ask for them.
            !fetch.includePendingChanges || !model._$modelState.isDeleted
          else { continue }
          try block(model)
        } else if let model = unsaved[identifier].flatMap({ enumerated($0, besides: rowIDs) }),
          !given.contains(model)
        {
          given.append(model)
          try block(model)
        }
      }
      // Changed models stay alive; after the last batch, nothing is added to them.
      if !allowEscapingMutations, start + size < identifiers.count, hasChanges {
        throw Self.dirtyEnumeration
      }
    }
  }

  /// Returns the model that a block gets for one that was unsaved when the enumeration began: nil when it isn't in the
  /// context any more, and when it has become one of the rows that are enumerated.
  private func enumerated<T: PersistentModel>(_ model: T, besides rowIDs: Set<Int64>) -> T? {
    let model = model._$modelState.original as? T ?? model
    let state = model._$modelState
    guard state.link === link, !state.isDeleted, !rowIDs.contains(state.rowID) else { return nil }
    return model
  }

  /// Returns the identifiers, from a fetch of models if necessary: a store that refuses to filter or sort does so for
  /// identifiers too, but its models can be filtered and sorted in memory.
  func enumeratedIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    do { return try fetchIdentifiers(descriptor) } catch DataStoreError.preferInMemoryFilter {
    } catch DataStoreError.preferInMemorySort {}
    return try fetch(descriptor).map(\.persistentModelID)
  }

  private static var dirtyEnumeration: SwiftDataError {
    .modelValidationFailure.explained(
      "enumerate met unsaved changes. Save first, or pass allowEscapingMutations: true.")
  }
}

/// The models that a block has got and that were unsaved when the enumeration began.
private struct GivenModels<T: PersistentModel> {
  private var unsaved: [T] = []
  /// The instances that represent the saved ones.
  private var saved: Set<ObjectIdentifier> = []

  mutating func append(_ model: T) { unsaved.append(model) }

  mutating func contains(_ model: T) -> Bool {
    // A save is one of all of them.
    if let last = unsaved.last, !last._$modelState.flags.contains(.inserted) {
      for model in unsaved { saved.insert(ObjectIdentifier(model._$modelState.original ?? model)) }
      unsaved = []
    }
    return saved.contains(ObjectIdentifier(model))
  }
}
