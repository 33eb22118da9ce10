import Foundation
import SwiftData
import SwiftDataCore

/// Applies a sequence of steps to the framework and to the dictionary in parallel.
final class StatefulRun {
  private let world = World()
  private let files: TemporaryStore?
  private var container: ModelContainer
  private var session: Session
  private var other: Session
  /// The expected contents of the session's context.
  private var mine = Graph()
  /// The expected contents of the store.
  private var stored = Graph()
  /// The models changed since the last save, even if they were changed back.
  private var touched: Set<Int> = []
  /// A state that undo or redo leads back to, and the models that the step in between changed.
  private typealias Turn = (state: Graph, keys: [Int])
  /// The nearest state is the last.
  private var past: [Turn] = []
  private var future: [Turn] = []
  private var undoManager: UndoManager?
  private let undoes: Bool
  private var nextKey = 1
  /// Whether everything is compared after every step. Comparing loads everything, so half of the sequences do it only
  /// at some steps.
  private let checksEveryStep: Bool
  /// A description of the applied steps.
  private(set) var log: [String] = []
  /// The store, to check that it is released.
  var store: AnyObject? { container.core.stores.first }

  init(onFile: Bool, checksEveryStep: Bool, undoes: Bool) throws {
    files = onFile ? try TemporaryStore() : nil
    container = try Self.open(files)
    session = Session(world, container)
    other = Session(world, container)
    self.undoes = undoes
    undoManager = undoes ? session.record() : nil
    self.checksEveryStep = checksEveryStep
  }

  private static func open(_ files: TemporaryStore?) throws -> ModelContainer {
    let schema = Schema(World.types)
    return try files?.container(for: schema) ?? memoryContainer(for: schema)
  }

  /// - Throws: ``Difference`` at the first difference, and unexpected errors of the framework.
  func run(_ steps: [Step]) throws {
    for step in steps {
      try carryOut(step)
      if checksEveryStep { try session.check(mine) }
    }
    log.append("the end")
    try session.check(mine)
    try save()
  }

  private func carryOut(_ step: Step) throws {
    switch step.action {
    case .rollback: rollback()
    case .save: try save()
    case .reopen: try reopen()
    case .elsewhere: try changeElsewhere(step)
    case .forget:
      log.append("forget")
      session.forget()
    case .touch: try touch(step)
    case .undo: undo()
    case .redo: redo()
    case .check:
      log.append("check")
      try session.check(mine)
    default:
      guard let change = step.change(in: mine, world, newKey: makeKey) else { return }
      log.append(change.words(world, mine))
      try session.apply(change, mine)
      // A change without effect doesn't count as a step.
      if undoManager?.groupingLevel ?? 0 > 0 {
        past.append((mine, change.keys))
        future = []
      }
      session.context.processPendingChanges()
      mine.apply(change, world)
      touched.formUnion(change.keys)
    }
  }

  private func makeKey() -> Int {
    defer { nextKey += 1 }
    return nextKey
  }

  // MARK: Steps

  private func undo() {
    guard let turn = past.popLast() else { return }
    log.append("undo")
    undoManager?.undo()
    future.append((mine, turn.keys))
    take(turn, undoing: true)
  }

  private func redo() {
    guard let turn = future.popLast() else { return }
    log.append("redo")
    undoManager?.redo()
    past.append((mine, turn.keys))
    take(turn, undoing: false)
  }

  private func take(_ turn: Turn, undoing: Bool) {
    session.context.processPendingChanges()
    let turned = mine.returned(to: turn.state, stored: stored, undoing: undoing, world)
    touched.formUnion(turned.difference(from: mine).union(turn.keys))
    mine = turned
    session.keep(mine)
  }

  /// Clears the undo history.
  private func forgetPast() {
    undoManager?.removeAllActions()
    past = []
    future = []
  }

  /// Adds the commit of another context to every state that undo and redo lead to.
  ///
  /// - Returns: False when the commit affects models that they change.
  private func takeIntoPast(_ theirs: Set<Int>, of merged: Graph) -> Bool {
    let ours = (past + future).reduce(into: Set<Int>()) {
      $0.formUnion($1.keys)
      $0.formUnion($1.state.content(differingFrom: mine))
    }
    guard ours.isDisjoint(with: theirs) else { return false }
    func takingIn(_ turn: Turn) -> Turn {
      var state = turn.state
      for key in theirs { state.nodes[key] = merged.nodes[key] }
      return (state, turn.keys)
    }
    let (older, newer) = (past.map(takingIn), future.map(takingIn))
    guard (older + newer).allSatisfy({ $0.state.isConsistent(world) }) else { return false }
    (past, future) = (older, newer)
    return true
  }

  private func rollback() {
    log.append("rollback")
    session.context.rollback()
    forgetPast()
    mine = stored
    touched = []
    session.keep(mine)
  }

  /// Reads a relationship, which loads it.
  private func touch(_ step: Step) throws {
    let keys = mine.live()
    guard !keys.isEmpty else { return }
    let key = keys[step.picks[0] % keys.count]
    guard let node = mine.nodes[key] else { return }
    let links = world.linksOfKind[node.kind]
    let link = links[step.picks[1] % links.count]
    log.append("read \(world.kinds[node.kind].name) \(key).\(world.links[link].name)")
    try session.check(try session.model(key, mine), link, mine)
  }

  private func save() throws {
    let refusal = mine.refusal(world)
    log.append("save" + (refusal.map { ", to be refused: \($0)" } ?? ""))
    do {
      try session.context.save()
    } catch {
      if refusal != nil { return try checkStore() }
      throw Difference("the save was refused: \(error)")
    }
    if let refusal { throw Difference("the save should be refused: \(refusal)") }
    if session.context.hasChanges { throw Difference("there are changes after a save") }
    mine = mine.saved
    stored = mine
    touched = []
    session.keep(mine)
    // A model that is inserted again gets another row.
    other.keep(mine)
    if checksEveryStep { try session.check(mine, isSaved: true) }
    try checkStore()
  }

  private func checkStore() throws {
    do { try Session(world, container).check(stored, isSaved: true) } catch {
      throw Difference("a fresh context: \(error)")
    }
  }

  /// Discards unsaved changes, and reopens a store in a file.
  private func reopen() throws {
    log.append("reopen")
    session = Session(world, container)
    other = Session(world, container)
    if files != nil {
      container = try Self.open(files)
      session = Session(world, container)
      other = Session(world, container)
    }
    undoManager = undoes ? session.record() : nil
    past = []
    future = []
    mine = stored
    touched = []
    try session.check(mine, isSaved: true)
  }

  /// Commits a change by a second context that doesn't affect the changes pending here.
  private func changeElsewhere(_ step: Step) throws {
    let actions: [Step.Action] = [.insert, .insertLinked, .edit, .assign, .add, .remove, .delete]
    let action = actions[step.picks[7] % actions.count]
    let inner = Step(action: action, picks: step.picks)
    guard let change = inner.change(in: stored, world, newKey: makeKey) else { return }
    var changed = stored
    changed.apply(change, world)
    guard changed.refusal(world) == nil else { return }
    changed = changed.saved
    let theirs = changed.difference(from: stored)
    guard theirs.isDisjoint(with: touched.union(mine.difference(from: stored))) else {
      return
    }
    var merged = mine
    for key in theirs { merged.nodes[key] = changed.nodes[key] }
    guard merged.isConsistent(world) else { return }
    log.append("elsewhere: \(change.words(world, stored))")
    do {
      try other.check(stored, isSaved: true)
      try other.apply(change, stored)
      try other.context.save()
    } catch { throw Difference("the second context: \(error)") }
    other.keep(changed)
    if !takeIntoPast(theirs, of: merged) { forgetPast() }
    stored = changed
    mine = merged
    // Fetching updates the context's models.
    for kind in world.kinds { _ = try kind.all(session.context) }
    session.keep(mine)
    try checkStore()
  }
}
