import Foundation
import SwiftData
import SwiftDataExtras
import Testing

/// The operation of a program in a callback: each operation that a context and a container have.
enum ReentrantOperation: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case read, set, insert, delete, fetch, fetchCount, fetchPending, save, setAndSave, rollback, undo
  case relate, unrelate, processPending, batchDelete, batchUpdate, batchInsert, enumerate, erase
  case letGo

  var testDescription: String { rawValue }

  /// Whether the operation reverts earlier changes.
  var takesBack: Bool { self == .rollback || self == .undo }
}

/// The context that performs the operation.
enum ReentrantSide: String, CaseIterable, Sendable { case own, other }

/// A store with a few models, the context in use, and another context.
final class ReentrantWorld: @unchecked Sendable {
  // Unchecked: used by one thread at a time.
  let hooks = Hooks()
  let container: ModelContainer
  let store: TemporaryStore?
  /// The contexts, which the operation `letGo` releases.
  private(set) var own: ModelContext?
  private(set) var other: ModelContext?
  /// The model that is being edited, and the model that operations use, in each of the contexts.
  let edited: ReentrantKnot
  let bystander: ReentrantKnot
  private let otherBystander: ReentrantKnot
  let parent: ReentrantKnot
  let ring: ReentrantRing
  private let otherParent: ReentrantKnot
  private(set) var errors: [any Error] = []

  init(inMemory: Bool) throws {
    if inMemory {
      store = nil
      container = try memoryContainer(ReentrantKnot.self, ReentrantRing.self, Crumb.self)
    } else {
      let store = try TemporaryStore()
      self.store = store
      container = try store.container(ReentrantKnot.self, ReentrantRing.self, Crumb.self)
    }
    let own = ModelContext(container)
    edited = ReentrantKnot("a")
    bystander = ReentrantKnot("b")
    parent = ReentrantKnot("p")
    ring = ReentrantRing("r")
    own.insert(edited)
    own.insert(bystander)
    own.insert(parent)
    own.insert(ring)
    own.insert(Crumb(1))
    own.insert(Crumb(2))
    edited.dye = Dye(code: 1)
    try own.save()
    let other = ModelContext(container)
    otherBystander = try other.find("b")
    otherParent = try other.find("p")
    self.own = own
    self.other = other
  }

  func useUndo(_ manager: UndoManager = UndoManager()) { own?.undoManager = manager }

  /// Performs an operation and records its errors.
  func run(_ operation: ReentrantOperation, _ side: ReentrantSide) {
    do { try carryOut(operation, side) } catch { errors.append(error) }
  }

  /// Performs a test's own code and records its errors.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { errors.append(error) }
  }

  private func carryOut(_ operation: ReentrantOperation, _ side: ReentrantSide) throws {
    // No constant holds the context, because `letGo` may release it.
    func context() -> ModelContext? { side == .own ? own : other }
    let model = side == .own ? bystander : otherBystander
    let parent = side == .own ? parent : otherParent
    switch operation {
    case .read: _ = (model.name, model.note.text, model.children.count, model.parent?.name)
    case .set: model.number += 1
    case .insert: context()?.insert(ReentrantKnot("new"))
    case .delete: context()?.delete(model)
    case .fetch: _ = try context()?.fetch(FetchDescriptor<ReentrantKnot>())
    case .fetchCount: _ = try context()?.fetchCount(FetchDescriptor<ReentrantKnot>())
    case .fetchPending:
      model.number += 1
      _ = try context()?.fetch(
        FetchDescriptor<ReentrantKnot>(
          predicate: #Predicate { $0.number > 0 }, sortBy: [SortDescriptor(\.name)]))
    case .save: try context()?.save()
    case .setAndSave:
      model.number += 1
      try context()?.save()
    case .rollback: context()?.rollback()
    case .undo: context()?.undoManager?.undo()
    case .relate: model.parent = parent
    case .unrelate:
      model.parent = parent
      parent.children = []
    case .processPending: context()?.processPendingChanges()
    case .batchDelete:
      try context()?.delete(model: Crumb.self, where: #Predicate { $0.number == 1 })
    case .batchUpdate:
      try container.batchUpdate(Crumb.self) { $0.set(\.number, to: 7) }
    case .batchInsert: try container.batchInsert([Crumb(3)])
    case .enumerate:
      try context()?.enumerate(FetchDescriptor<Crumb>(), allowEscapingMutations: true) {
        $0.number += 1
      }
    case .erase: try container.erase()
    case .letGo: if side == .own { own = nil } else { other = nil }
    }
  }
}

extension ModelContext {
  /// Returns the knot with a name.
  func find(_ name: String) throws -> ReentrantKnot {
    let found = try fetch(FetchDescriptor<ReentrantKnot>(predicate: #Predicate { $0.name == name }))
      .first
    guard let found else { throw CocoaError(.fileNoSuchFile) }
    return found
  }
}
