import Foundation
import Synchronization

/// The models of one table that a context has made, by row ID. It doesn't keep them alive.
///
/// It stores only the addresses of the models; in a plain build, weak references. An address works like a weak
/// reference without its cost of one allocation per object. It is sound because a model's state removes the model from
/// here when it is destroyed, before the model's memory is freed: an address in here is that of an object that is alive
/// or being destroyed, and the runtime reports which. The lock is needed for models whose last reference is released on
/// another thread.
@usableFromInline
final class RowIDMap: Sendable {
  private struct Weak {
    weak var model: AnyObject?
  }

  // No reference may be released under the lock: destroying a model's state acquires it. It is acquired twice a model:
  // with an NSLock, W7 takes 5 % longer and W10 4 %.
  private let lock = Mutex(())
  // Accessed under the lock only.
  @exclusivity(unchecked) nonisolated(unsafe) private var table = RowIDTable()
  // The following fields are accessed only in the context's isolation, never by a handle.
  /// The highest row ID that has been registered. Rows are mostly read and created in order, and IDs above it needn't
  /// be looked up.
  nonisolated(unsafe) private var highest = Int64.min
  /// Models whose rows are gone. They keep their related models alive, and so each other.
  nonisolated(unsafe) private var departed: [Weak] = []
  /// The number of departed models at which those that were destroyed are dropped.
  nonisolated(unsafe) private var nextSweep = 1024

  subscript(rowID: Int64) -> AnyObject? {
    if rowID > highest { return nil }
    return lock.withLock { _ in table[rowID].flatMap(Self.model) }
  }

  /// Registers a model, whose state lies at `place`, for its row; its state removes it again.
  @inline(__always)
  func register(_ model: some AnyObject, _ place: _ModelPlace) {
    #if OSD_PLAIN_MAP
      let address = UnsafeMutableRawPointer(place.fields)
      register(RowIDTable.Value(model: model, address: address), at: address, place)
    #else
      // Passing the model itself would retain it.
      let address = Unmanaged.passUnretained(model).toOpaque()
      register(UnsafeRawPointer(address), at: address, place)
    #endif
  }

  private func register(
    _ value: RowIDTable.Value, at address: UnsafeMutableRawPointer, _ place: _ModelPlace
  ) {
    place.fields.pointee.register(in: self, at: address)
    let rowID = place.fields.pointee.rowID
    if rowID > highest { highest = rowID }
    lock.withLock { _ in table.set(value, for: rowID) }
  }

  /// Returns a strong reference to a model of the table; nil when it is being destroyed. Requires the lock.
  private static func model(_ value: RowIDTable.Value) -> AnyObject? {
    #if OSD_PLAIN_MAP
      value.model
    #else
      WeakAddress(at: value).object
    #endif
  }

  /// Removes the model that is registered at `address`, if it is still the one registered for the row.
  func remove(_ rowID: Int64, at address: UnsafeRawPointer) {
    lock.withLock { _ in table.remove(rowID, ifAt: address) }
  }

  /// Removes the model of a row that is gone.
  func remove(_ rowID: Int64) {
    let model = self[rowID]
    lock.withLock { _ in table.remove(rowID) }
    guard let model else { return }
    if departed.count >= nextSweep {
      departed.removeAll { $0.model == nil }
      nextSweep = max(1024, departed.count * 2)
    }
    departed.append(Weak(model: model))
  }

  /// Returns the rows of a range that models were made of; some of the models may be destroyed.
  func rowIDs(in range: ClosedRange<Int64>) -> [Int64] {
    lock.withLock { _ in
      // A transaction may have changed millions of rows, while the context knows few.
      if range.count <= table.count { return range.filter { table[$0] != nil } }
      var found: [Int64] = []
      table.forEach { rowID, _ in if range.contains(rowID) { found.append(rowID) } }
      return found
    }
  }

  /// The rows that models were made of; some of the models may be destroyed.
  var rowIDs: [Int64] {
    lock.withLock { _ in
      var found: [Int64] = []
      found.reserveCapacity(table.count)
      table.forEach { rowID, _ in found.append(rowID) }
      return found
    }
  }

  /// The number of models.
  var count: Int { lock.withLock { _ in table.count } }

  /// The models that are alive.
  var registered: [any PersistentModel] {
    var found: [AnyObject] = []
    lock.withLock { _ in
      found.reserveCapacity(table.count)
      table.forEach { _, value in
        if let model = Self.model(value) { found.append(model) }
      }
    }
    return found.compactMap { $0 as? any PersistentModel }
  }

  /// Empties relationships, through which models could keep each other alive forever, and with them the store. They are
  /// read again on access. Unsaved changes of relationships are lost with the context that would have saved them.
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
