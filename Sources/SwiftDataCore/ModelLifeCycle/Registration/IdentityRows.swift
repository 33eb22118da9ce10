import CSwiftRuntime

/// The models of one table that a context has made, by row id. It doesn't keep them alive.
///
/// It knows the addresses of the models only. That is a weak reference without its price, an allocation an object, and
/// sound because a model's state takes the model out when it goes, before the model's memory does: an address in here is
/// that of an object which is alive or being destroyed, and the runtime tells which. The lock is for models whose last
/// reference another thread lets go of.
@usableFromInline
final class IdentityRows: Sendable {
  private struct Weak {
    weak var model: AnyObject?
  }

  // No reference may be let go of under the lock: the end of a model's state takes it.
  private let lock = BriefLock()
  // Reached under the lock only.
  @exclusivity(unchecked) nonisolated(unsafe) private var table = RowTable()
  // The context's isolation reaches these, no handle does.
  /// The highest row id that there has been. Rows are mostly read and made in their order, and those behind it needn't be
  /// looked for.
  nonisolated(unsafe) private var highest = Int64.min
  /// Models whose rows have gone. They keep what they were related to, and so each other.
  nonisolated(unsafe) private var departed: [Weak] = []
  /// The number of departed models at which those that are gone are dropped.
  nonisolated(unsafe) private var nextSweep = 1024

  /// A strong reference to the object at an address of the table; nil when it is being destroyed. Under the lock.
  private static func reference(_ address: UnsafeRawPointer) -> AnyObject? {
    swift_data_try_retain(UnsafeMutableRawPointer(mutating: address))
      .map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
  }

  subscript(rowID: Int64) -> AnyObject? {
    if rowID > highest { return nil }
    return lock.withLock { table[rowID].flatMap(Self.reference) }
  }

  /// Makes the model at `address`, whose state lies at `place`, the one for its row; its state takes it out again. Taking
  /// the model itself would retain it.
  func register(_ address: UnsafeMutableRawPointer, _ place: _ModelPlace) {
    place.fields.pointee.register(in: self, at: address)
    let rowID = place.fields.pointee.rowID
    if rowID > highest { highest = rowID }
    lock.withLock { table.set(address, for: rowID) }
  }

  /// Takes out the model at `address`, if it is still the one for the row.
  func remove(_ rowID: Int64, at address: UnsafeRawPointer) {
    lock.withLock { table.remove(rowID, ifAt: address) }
  }

  /// Forgets the model of a row that has gone.
  func depart(_ rowID: Int64) {
    let model = self[rowID]
    lock.withLock { table.remove(rowID) }
    guard let model else { return }
    if departed.count >= nextSweep {
      departed.removeAll { $0.model == nil }
      nextSweep = max(1024, departed.count * 2)
    }
    departed.append(Weak(model: model))
  }

  /// The rows of a range that models were made of; some of them may be gone.
  func rowIDs(in range: ClosedRange<Int64>) -> [Int64] {
    lock.withLock {
      // A transaction may have touched millions of rows, and the context know few.
      if range.count <= table.count { return range.filter { table[$0] != nil } }
      var found: [Int64] = []
      table.forEach { rowID, _ in if range.contains(rowID) { found.append(rowID) } }
      return found
    }
  }

  /// The rows that models were made of; some of them may be gone.
  var rowIDs: [Int64] {
    lock.withLock {
      var found: [Int64] = []
      found.reserveCapacity(table.count)
      table.forEach { rowID, _ in found.append(rowID) }
      return found
    }
  }

  /// The number of models.
  var count: Int { lock.withLock { table.count } }

  /// The models that are alive.
  var registered: [any PersistentModel] {
    var found: [AnyObject] = []
    lock.withLock {
      found.reserveCapacity(table.count)
      table.forEach { _, address in
        if let model = Self.reference(address) { found.append(model) }
      }
    }
    return found.compactMap { $0 as? any PersistentModel }
  }

  /// Empties relationships, by which models could hold each other without end, and with them the store. They are read
  /// again when somebody asks. Unsaved changes of relationships go with the context that would have saved them.
  func breakCycles() {
    let gone = departed.compactMap { $0.model as? any PersistentModel }
    for model in registered + gone {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      if !state.linkChanges.isEmpty { state.linkChanges = [] }
      for index in plan.relationships { release(index, of: model, state) }
    }
  }

  private func release(_ index: Int, of model: any PersistentModel, _ state: _ModelState) {
    switch model.links(at: index) {
    case .many: model._$clear(index)
    case .one(let destination?):
      model._$clear(index)
      let rowID = destination._$modelState.rowID
      if rowID != 0 { state.setReference(rowID, at: index) }
    case .one(nil), .notLoaded: break
    }
  }
}
