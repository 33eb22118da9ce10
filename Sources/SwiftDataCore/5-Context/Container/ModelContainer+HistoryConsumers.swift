extension ModelContainer {
  /// Registers a consumer of the history, so that the container's stores keep the transactions that it hasn't read.
  ///
  /// ```swift
  /// try container.registerHistoryConsumer("index")
  /// for try await transaction in try container.remoteChanges(for: "index") {
  ///   update(index, with: transaction)
  ///   try container.acknowledgeHistory(through: transaction.token, by: "index")
  /// }
  /// ```
  ///
  /// Registering again changes nothing, so a program can do it at every start.
  ///
  /// - Parameters:
  ///   - name: The name that distinguishes consumers of the container's stores; not empty.
  ///   - token: The new position of the consumer, which may also lie before its current one or after deleted
  ///     transactions: for a consumer that has expired and starts again at ``currentHistoryToken()``. nil leaves the
  ///     position of a known consumer unchanged, and a new one begins at the end of the history; the same holds for
  ///     stores that the token doesn't name.
  /// - Returns: The consumer after the registration.
  /// - Throws: ``SwiftDataError/unknownHistoryConsumer`` when the name is empty or no store of the container keeps a
  ///   history, and the store's error when it is read-only or can't be written.
  @discardableResult
  public func registerHistoryConsumer(
    _ name: String, at token: DefaultHistoryToken? = nil
  ) throws -> HistoryConsumer {
    guard !name.isEmpty else {
      throw SwiftDataError.unknownHistoryConsumer.explained(
        "A consumer of the history needs a name that isn't empty.")
    }
    var places: [(store: String, place: StoredHistoryConsumer)] = []
    for store in core.recordedHistories {
      let number = token?.tokenValue?[store.identifier]
      if let place = try store.change(historyConsumer: name, .register(number)) {
        places.append((store.identifier, place))
      }
    }
    guard !places.isEmpty else {
      throw SwiftDataError.unknownHistoryConsumer.explained(
        "No store of the container keeps a history for \(name).")
    }
    return HistoryConsumer(name: name, places: places)
  }

  /// Records that a consumer has processed the transactions up to a position; they may be deleted from then on.
  ///
  /// - Parameters:
  ///   - token: The position after the last processed transaction, such as ``DefaultHistoryTransaction/token``. A
  ///     position before the recorded one changes nothing.
  ///   - name: The consumer.
  /// - Throws: ``SwiftDataError/unknownHistoryConsumer`` when no store that the token names knows the consumer, and the
  ///   store's error when it is read-only or can't be written.
  public func acknowledgeHistory(through token: DefaultHistoryToken, by name: String) throws {
    let named = core.capabilities.filter {
      token.tokenValue?[$0.store.identifier] != nil
    }
    var isKnown = named.isEmpty
    for store in named.compactMap(\.numberedHistory) {
      guard let number = token.tokenValue?[store.identifier] else { continue }
      if named.count > 1 {
        // Mostly one of the stores has a new transaction, and the others need no write.
        guard let place = try store.historyConsumers().first(where: { $0.name == name })
        else { continue }
        isKnown = true
        if place.number >= number { continue }
      }
      if try store.change(historyConsumer: name, .acknowledge(number)) != nil { isKnown = true }
    }
    guard isKnown else { throw unknown(name) }
  }

  /// Removes a consumer; nothing is kept for it any more. An unknown name changes nothing.
  ///
  /// - Throws: The store's error when it is read-only or can't be written.
  public func removeHistoryConsumer(_ name: String) throws {
    for store in core.recordedHistories {
      _ = try store.change(historyConsumer: name, .remove)
    }
  }

  /// The consumers of the container's stores, ordered by name.
  ///
  /// - Throws: The store's error when it can't be read.
  public func historyConsumers() throws -> [HistoryConsumer] {
    var places: [String: [(store: String, place: StoredHistoryConsumer)]] = [:]
    for store in core.recordedHistories {
      for place in try store.historyConsumers() {
        places[place.name, default: []].append((store.identifier, place))
      }
    }
    return places.sorted { $0.key < $1.key }.map { HistoryConsumer(name: $0.key, places: $0.value) }
  }

  /// Returns the transactions that a consumer hasn't acknowledged, followed by those that are committed from now on.
  /// See ``remoteChanges(after:models:authors:)``.
  ///
  /// - Parameters:
  ///   - name: The consumer.
  ///   - models: The classes whose changes are returned, with their subclasses; empty for all.
  ///   - authors: The authors whose transactions are returned; empty for all.
  /// - Throws: ``SwiftDataError/unknownHistoryConsumer`` when no store knows the consumer, and the store's error when
  ///   it can't be read. If the consumer has expired, the sequence throws the error.
  public func remoteChanges(
    for name: String, models: [any PersistentModel.Type] = [], authors: Set<String> = []
  ) throws -> RemoteChanges {
    guard let consumer = try historyConsumers().first(where: { $0.name == name }) else {
      throw unknown(name)
    }
    return remoteChanges(after: consumer.token, models: models, authors: authors)
  }

  private func unknown(_ name: String) -> SwiftDataError {
    SwiftDataError.unknownHistoryConsumer.explained(
      "Nobody has registered \(name) as a consumer of the history.")
  }
}

extension ContainerCore {
  /// The histories that keep consumers.
  fileprivate var recordedHistories: [any NumberedHistory] {
    capabilities.compactMap { $0.recordedHistory == nil ? nil : $0.numberedHistory }
  }
}

extension SwiftDataError {
  /// A consumer of the history isn't registered, or can't be. An addition to Apple's interface.
  public static let unknownHistoryConsumer = SwiftDataError.code(
    "unknownHistoryConsumer", "The consumer of the history isn't registered.")
}
