import Foundation
import LocalStore
import SwiftData
import SwiftDataExtras

/// The store of earthquakes, which answers queries.
public struct QuakeStore: Sendable {
  /// The number of events in a batch when all events are read.
  static let batch = 2_000

  /// The container, for code that writes to the store.
  public let container: ModelContainer
  /// The location of the store.
  public let location: StoreLocation

  /// The models of the store.
  static var schema: Schema { Schema([Quake.self, FeedLease.self, DetailsRecord.self]) }

  /// Opens a store, and creates it if it doesn't exist.
  /// - Parameters:
  ///   - location: The location of the store.
  ///   - isReadOnly: Whether the store is only read: one on a server isn't created, and a file may be one that this
  ///     user can't write.
  /// - Throws: ``QuakesError`` when it cannot be opened.
  public init(_ location: StoreLocation, isReadOnly: Bool = false) throws {
    self.location = location
    do {
      let configuration = try Self.configuration(location, isReadOnly: isReadOnly)
      container = try ModelContainer(for: Self.schema, configurations: [configuration])
    } catch {
      throw Self.failure("cannot be opened", location, error, isReadOnly: isReadOnly)
    }
  }

  /// Opens a store, and creates it if it doesn't exist.
  /// - Parameter file: The file of the store; `nil` keeps it in memory.
  /// - Throws: ``QuakesError`` when it cannot be opened.
  public init(file: URL?) throws {
    try self.init(file.map { .file($0) } ?? .memory)
  }

  private static func configuration(
    _ location: StoreLocation, isReadOnly: Bool
  ) throws -> any DataStoreConfiguration {
    switch location {
    case .memory: return ModelConfiguration(isStoredInMemoryOnly: true)
    case .file(let file):
      return try StoreOpening.configuration(of: file, schema, isReadOnly: isReadOnly)
    case .server(var configuration):
      configuration.allowsSave = !isReadOnly
      return configuration
    }
  }

  /// Returns a part of the events that match a query, and their total number.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func page(_ query: EventQuery) throws -> EventPage {
    try reading { context in
      guard query.isStoreExact else { return try filteredPage(query, context) }
      let events = try Self.rows(query, context) { try context.snapshots($0) }
      // A page that isn't full determines the total; otherwise the store counts.
      if let limit = query.limit, events.count < limit, query.offset == 0 {
        return EventPage(events: events, total: events.count)
      }
      let total = try context.fetchCount(FetchDescriptor<Quake>(predicate: query.predicate))
      return EventPage(events: events, total: total)
    }
  }

  /// Returns the page of a query with a circle: the events that the store selects are counted one by one.
  private func filteredPage(_ query: EventQuery, _ context: ModelContext) throws -> EventPage {
    var page = EventPage(events: [], total: 0)
    for descriptor in query.descriptors {
      try context.enumerateSnapshots(descriptor, batchSize: Self.batch) { event in
        guard query.meetsCircles(event) else { return }
        if page.total >= query.offset, page.events.count < query.limit ?? .max {
          page.events.append(event)
        }
        page.total += 1
      }
    }
    return page
  }

  /// Reads the part of a query's rows that its limit and offset choose.
  private static func rows<Row>(
    _ query: EventQuery, _ context: ModelContext,
    _ read: (FetchDescriptor<Quake>) throws -> [Row]
  ) throws -> [Row] {
    var rows: [Row] = []
    var skipped = query.offset
    let descriptors = query.descriptors
    for (index, plain) in descriptors.enumerated() {
      var descriptor = plain
      descriptor.fetchLimit = query.limit.map { $0 - rows.count }
      if skipped > 0 { descriptor.fetchOffset = skipped }
      let found = try read(descriptor)
      rows += found
      if rows.count == query.limit || index == descriptors.count - 1 { break }
      // A descriptor that gives rows has given all from its offset on.
      skipped =
        found.isEmpty && skipped > 0 ? max(0, skipped - (try context.fetchCount(plain))) : 0
    }
    return rows
  }

  /// Returns a part of the events that match a query.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func events(_ query: EventQuery) throws -> [Event] {
    if query.isStoreExact {
      return try reading { context in
        try Self.rows(query, context) { try context.snapshots($0) }
      }
    }
    var events: [Event] = []
    try forEachBatch(query) { events += $0 }
    return events
  }

  /// Selects the events that match a query, to read them part by part.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func cursor(_ query: EventQuery) throws -> EventCursor {
    var selected = query
    if !query.isStoreExact { (selected.limit, selected.offset) = (nil, 0) }
    let identifiers = try reading { context in
      try Self.rows(selected, context) { try context.fetchIdentifiers($0) }
    }
    return EventCursor(query, rows: identifiers.count) { try events(of: identifiers[$0]) }
  }

  /// Returns the events of some rows, in the order of the rows and as they are now.
  private func events(of rows: ArraySlice<PersistentIdentifier>) throws -> [Event] {
    var found: [PersistentIdentifier: Event] = [:]
    try reading { context in
      for start in stride(from: rows.startIndex, to: rows.endIndex, by: 500) {
        let wanted = Array(rows[start..<min(start + 500, rows.endIndex)])
        let descriptor = FetchDescriptor<Quake>(
          predicate: #Predicate { wanted.contains($0.persistentModelID) })
        for event in try context.snapshots(descriptor) {
          if let identifier = event.persistentModelID { found[identifier] = event }
        }
      }
    }
    return rows.compactMap { found[$0] }
  }

  /// Returns the event with an identifier, or the event that is the same earthquake and now has another identifier;
  /// `nil` if there is none. A replaced event whose replacement isn't stored is returned itself.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func event(id: String) throws -> Event? {
    try reading { context in
      var (wanted, last) = (id, Event?.none)
      // Identifiers that replaced each other in turn must not cause an endless loop.
      var seen: Set<String> = []
      while seen.insert(wanted).inserted {
        guard let event = try Self.event(wanted, context) else { break }
        last = event
        guard let replacement = event.replacement else { break }
        wanted = replacement
      }
      return last
    }
  }

  /// Returns the event with an identifier, or else the event that has it among its aliases.
  private static func event(_ id: String, _ context: ModelContext) throws -> Event? {
    var descriptor = FetchDescriptor<Quake>(predicate: #Predicate { $0.eventID == id })
    descriptor.fetchLimit = 1
    if let event = try context.snapshots(descriptor).first { return event }
    guard !id.isEmpty, id.utf8.count <= 40, !id.contains(",") else { return nil }
    let member = ",\(id),"
    descriptor.predicate = #Predicate {
      $0.withdrawn == nil && ($0.aliases?.contains(member) ?? false)
    }
    return try context.snapshots(descriptor).first
  }

  /// Returns the event with exactly this identifier, even if it is withdrawn; `nil` if there is none.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  package func row(id: String) throws -> Event? {
    let descriptor = FetchDescriptor<Quake>(predicate: #Predicate { $0.eventID == id })
    return try reading { try $0.snapshots(descriptor).first }
  }

  /// Returns those of the identifiers whose events others have replaced.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  package func replaced(among ids: [String]) throws -> Set<String> {
    guard !ids.isEmpty else { return [] }
    var replaced: Set<String> = []
    try reading { context in
      try context.forEachEvent(ids) { if $0.replacement != nil { replaced.insert($0.id) } }
    }
    return replaced
  }

  /// Returns the number of events in the store, without withdrawn ones.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func count() throws -> Int { try count(EventQuery()) }

  /// Returns the number of events that match a query, without its limit and offset.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  public func count(_ query: EventQuery) throws -> Int {
    guard query.isStoreExact else {
      var count = 0
      try forEachEvent(query) { _ in count += 1 }
      return count
    }
    return try reading { try $0.fetchCount(FetchDescriptor<Quake>(predicate: query.predicate)) }
  }

  /// Passes all events that match a query to `body` in batches: of all, memory has only the identifiers of their rows.
  /// - Throws: ``QuakesError`` when the store cannot be read, and the errors of `body`.
  public func forEachBatch(_ query: EventQuery, _ body: ([Event]) throws -> Void) throws {
    var cursor = try cursor(query)
    while let events = try cursor.next() { try body(events) }
  }

  /// Passes all events that match a query to `body`, in any order: its sort, limit and offset have no effect.
  /// - Throws: ``QuakesError`` when the store cannot be read.
  func forEachEvent(_ query: EventQuery, _ body: (Event) -> Void) throws {
    let descriptor = FetchDescriptor<Quake>(predicate: query.predicate)
    try reading { context in
      try context.enumerateSnapshots(descriptor, batchSize: Self.batch) { event in
        if query.meetsCircles(event) { body(event) }
      }
    }
  }

  func reading<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
    do {
      return try body(ModelContext(container))
    } catch {
      throw unreadable(error)
    }
  }

  /// Returns the ``QuakesError`` for an error of the store.
  func unreadable(_ error: any Error) -> QuakesError {
    Self.failure("cannot be read", location, error)
  }

  static func failure(
    _ what: String, _ location: StoreLocation, _ error: any Error, isReadOnly: Bool = false
  ) -> QuakesError {
    if let error = error as? QuakesError { return error }
    return QuakesError(
      .storeFailure, location.description,
      reason: "the store \(what): \(location.explanation(of: error, isReadOnly: isReadOnly))")
  }
}
