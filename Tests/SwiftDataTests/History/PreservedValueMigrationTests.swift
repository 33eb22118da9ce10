import SwiftData
import Testing

/// Versions of one entity whose number is kept on deletion, or not, as a number or as a text.
enum TicketForms {
  enum Kept {
    @Model
    final class Ticket {
      var name: String = ""
      @Attribute(.preserveValueOnDeletion) var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  enum Dropped {
    @Model
    final class Ticket {
      var name: String = ""
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  enum Text {
    @Model
    final class Ticket {
      var name: String = ""
      var number: String
      init(_ number: String) { self.number = number }
    }
  }

  enum KeptText {
    @Model
    final class Ticket {
      var name: String = ""
      @Attribute(.preserveValueOnDeletion) var number: String
      init(_ number: String) { self.number = number }
    }
  }

  enum Sealed {
    @Model
    final class Ticket {
      var name: String = ""
      @Attribute(.allowsCloudEncryption) var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  enum Without {
    @Model
    final class Ticket {
      var name: String = ""
      init() {}
    }
  }
}

@Suite("The history stays readable when the values that it keeps")
struct PreservedValueMigrationTests {
  /// Inserts a ticket and deletes it, in two transactions.
  private func fillHistory(_ store: TemporaryStore) throws {
    let context = ModelContext(try store.container(TicketForms.Kept.Ticket.self))
    let ticket = TicketForms.Kept.Ticket(7)
    context.insert(ticket)
    try context.save()
    context.delete(ticket)
    try context.save()
  }

  private func history(
    _ store: TemporaryStore, _ type: any PersistentModel.Type
  ) throws -> [DefaultHistoryTransaction] {
    try ModelContext(store.container(type)).history()
  }

  private func numbers<Model: PersistentModel>(
    _ history: [DefaultHistoryTransaction], _ number: KeyPath<Model, some Any>
  ) -> [String] {
    history.flatMap(\.changes).compactMap { change in
      guard case .delete(let deletion) = change,
        let deletion = deletion as? DefaultHistoryDelete<Model>
      else { return nil }
      return deletion.tombstone[number].map { "\($0)" } ?? "nothing"
    }
  }

  @Test("aren't kept any more, and have another type at once or later")
  func droppedOption() throws {
    for way in [[], [TicketForms.Dropped.Ticket.self]] as [[any PersistentModel.Type]] {
      let store = try TemporaryStore()
      try fillHistory(store)
      for type in way { #expect(try history(store, type).count == 2) }
      let found = try history(store, TicketForms.Text.Ticket.self)
      #expect(found.map(\.changes.count) == [1, 1])
      #expect(numbers(found, \TicketForms.Text.Ticket.number) == ["nothing"])
      // The kept value isn't one of the present type.
      let later = try history(store, TicketForms.KeptText.Ticket.self)
      #expect(numbers(later, \TicketForms.KeptText.Ticket.number) == ["nothing"])
    }
  }

  @Test("are kept by an option that came later, and then have another type")
  func laterOption() throws {
    let store = try TemporaryStore()
    // The store is made without the option, which alone needs no migration.
    _ = try store.container(TicketForms.Dropped.Ticket.self)
    try fillHistory(store)
    let found = try history(store, TicketForms.KeptText.Ticket.self)
    #expect(found.isEmpty)
    let context = ModelContext(try store.container(TicketForms.KeptText.Ticket.self))
    context.insert(TicketForms.KeptText.Ticket("a"))
    try context.save()
    #expect(try context.history().map(\.changes.count) == [1])
  }

  @Test("are of a property that goes, and comes back with another type")
  func returningProperty() throws {
    let store = try TemporaryStore()
    try fillHistory(store)
    _ = try store.container(TicketForms.Without.Ticket.self)
    let found = try history(store, TicketForms.KeptText.Ticket.self)
    #expect(numbers(found, \TicketForms.KeptText.Ticket.number) == ["nothing"])
  }

  @Test("have the option only from time to time")
  func changingOption() throws {
    let store = try TemporaryStore()
    try fillHistory(store)
    let without = try history(store, TicketForms.Dropped.Ticket.self)
    #expect(numbers(without, \TicketForms.Dropped.Ticket.number) == ["nothing"])
    let with = try history(store, TicketForms.Kept.Ticket.self)
    #expect(numbers(with, \TicketForms.Kept.Ticket.number) == ["7"])
  }

  @Test(
    "are to be encrypted: it goes, as it has them in the open",
    .enabled(if: StoreKind.tested == .sqlite, "servers refuse the change"))
  func encryption() throws {
    for isMadeWithout in [false, true] {
      let store = try TemporaryStore()
      // The option alone needs no migration, which would record it.
      if isMadeWithout { _ = try store.container(TicketForms.Dropped.Ticket.self) }
      try fillHistory(store)
      let key = EncryptionKey(Data(repeating: 7, count: 32))
      let context = ModelContext(
        try store.container(TicketForms.Sealed.Ticket.self, encryptionKey: key))
      #expect(try context.history().isEmpty)
      #expect(try store.value("SELECT count(*) FROM _history_change") == "0")
    }
  }
}
