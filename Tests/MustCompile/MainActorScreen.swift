import Foundation
import Observation
import SwiftData

@Model
final class Note {
  var text: String
  var made: Date
  @Relationship(deleteRule: .cascade, inverse: \NoteTag.note) var tags: [NoteTag] = []

  init(text: String, made: Date = .now) {
    self.text = text
    self.made = made
  }
}

@Model
final class NoteTag {
  var name: String
  var note: Note?

  init(name: String) {
    self.name = name
  }
}

/// The view model of a screen, on the main actor and with the container's main context.
@MainActor
@Observable
final class NotesScreen {
  private let container: ModelContainer
  private(set) var notes: [Note] = []
  private(set) var failure: (any Error)?

  init(container: ModelContainer) {
    self.container = container
  }

  var context: ModelContext { container.mainContext }

  func load(matching text: String) {
    do {
      notes = try context.fetch(
        FetchDescriptor<Note>(
          predicate: #Predicate { $0.text.localizedStandardContains(text) },
          sortBy: [SortDescriptor(\.made, order: .reverse)]))
    } catch { failure = error }
  }

  func add(_ text: String) {
    let note = Note(text: text)
    note.tags = [NoteTag(name: "new")]
    context.insert(note)
  }

  /// Work on another actor returns identifiers, and the context turns them into its own models.
  func replaceAll(with texts: [String]) async throws {
    let ids = try await NotesWriter(modelContainer: container).write(texts)
    notes = ids.compactMap { context.model(for: $0) as? Note }
  }

  /// A save posts its notification on the thread that it runs on; only identifiers leave the
  /// handler.
  func observe() -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { [weak self] notification in
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      let inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
      Task { @MainActor in
        self?.notes += inserted.compactMap { self?.context.registeredModel(for: $0) }
      }
    }
  }
}

@ModelActor
actor NotesWriter {
  func write(_ texts: [String]) throws -> [PersistentIdentifier] {
    try modelContext.transaction {
      try modelContext.delete(model: Note.self)
      for text in texts { modelContext.insert(Note(text: text)) }
    }
    return try modelContext.fetchIdentifiers(FetchDescriptor<Note>())
  }
}

@MainActor
final class NotesOwner: ModelContextProviding {
  let modelContext: ModelContext
  @Query(sort: \Note.made) var notes: [Note]

  init(_ container: ModelContainer) {
    modelContext = container.mainContext
  }
}
