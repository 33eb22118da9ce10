import Foundation
import SwiftData
import Testing

/// Every callback × every operation × own or other context × a store in a file or in memory.
@Suite("No callback causes recursion, a deadlock or a loss")
struct ReentranceSweepTests {
  @Test(
    "in a callback, an operation", arguments: ReentrantCallback.allCases,
    ReentrantOperation.allCases)
  func pair(_ callback: ReentrantCallback, _ operation: ReentrantOperation) throws {
    // A server has only one kind of stores, and makes them slowly: each callback is tried with a third of the
    // operations.
    let isServer = StoreKind.tested == .postgresql
    let turn = callback.rawValue.count + operation.rawValue.count
    if isServer, !turn.isMultiple(of: 3) { return }
    let sides = ReentrantSide.allCases.filter {
      !isServer || ($0 == .own) == turn.isMultiple(of: 2)
    }
    for inMemory in isServer ? [true] : [false, true] {
      for side in sides {
        let world = try ReentrantWorld(inMemory: inMemory)
        let started = ContinuousClock.now
        try world.provoke(callback, operation, side)
        let place = Comment("\(side) context, \(inMemory ? "in memory" : "in a file")")
        // A call that waits for itself gives up after ten seconds.
        #expect(ContinuousClock.now - started < .seconds(9), place)
        try world.check(callback, operation, side, place)
      }
    }
  }
}

extension ReentrantWorld {
  func check(
    _ callback: ReentrantCallback, _ operation: ReentrantOperation, _ side: ReentrantSide,
    _ place: Comment
  ) throws {
    #expect(hooks.calls > 0, place)
    #expect(!hooks.isTooDeep, place)
    for error in errors {
      let isTyped =
        error is SwiftDataError || error is StoreError || error is RowDecodingError
        || error is MergeConflictError
      #expect(isTyped, "\(place): \(error)")
    }
    let isTakenBack =
      !callback.isBeforeEdit && (operation == .unrelate || operation.takesBack) && side == .own
    // Unsaved relationships are lost with the context that would have saved them.
    let isLost = own == nil && callback.edit != .name
    if !isTakenBack, !isLost, operation != .erase { checkEdit(callback.edit, place) }
    guard operation != .erase, let own else { return }
    // With every result of the pair, the values in memory are saved or pending.
    other?.rollback()
    own.undoManager = nil
    do { try own.save() } catch { Issue.record("\(place): the save afterwards: \(error)") }
    own.processPendingChanges()
    #expect(!own.hasChanges, place)
    try checkStore(place)
    #expect(Set(own.registered().map(\.persistentModelID)).count == own.registered().count, place)
  }

  private func checkEdit(_ edit: ReentrantEdit, _ place: Comment) {
    switch edit {
    case .name: #expect(edited.name == "edited", place)
    case .parent: #expect(edited.parent === parent, place)
    case .children: #expect(parent.children.contains { $0 === edited }, place)
    case .rings: #expect(edited.rings.contains { $0 === ring }, place)
    case .none: break
    }
  }

  /// Checks that the models have the values that a new context reads.
  private func checkStore(_ place: Comment) throws {
    let fresh = ModelContext(container)
    for model in [edited, bystander, parent] {
      let identifier = model.persistentModelID
      let stored = try fresh.fetch(FetchDescriptor<ReentrantKnot>())
        .first { $0.persistentModelID == identifier }
      guard !model.isDeleted else {
        #expect(stored == nil, "\(place): \(model.name) is deleted")
        continue
      }
      #expect(stored.map(Self.text) == Self.text(of: model), place)
    }
  }

  private static func text(of knot: ReentrantKnot) -> String {
    let children = knot.children.map(\.name).sorted()
    let rings = knot.rings.map(\.name).sorted()
    return "\(knot.name) \(knot.number) \(knot.note.text) \(knot.dye?.code ?? 0)"
      + " \(knot.parent?.name ?? "-") \(children) \(rings)"
  }
}

extension ModelContext {
  /// Returns all knots, each once.
  fileprivate func registered() -> [ReentrantKnot] {
    do { return try fetch(FetchDescriptor<ReentrantKnot>()) } catch {
      Issue.record(error)
      return []
    }
  }
}
