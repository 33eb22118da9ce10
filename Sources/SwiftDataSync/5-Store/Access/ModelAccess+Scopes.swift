import Foundation
import SwiftDataCore

/// Finds and replaces references to objects that a user may not read.
extension ModelAccess {
  /// See ``SyncServerStorage/newDestinations(in:of:over:)``.
  func newDestinations(
    in values: SyncValues, of object: SyncObjectID, over known: SyncValues?
  ) -> Set<SyncObjectID> {
    var found: Set<SyncObjectID> = []
    _ = replacing(in: values, of: object, over: known) { candidates in
      found.formUnion(candidates)
      return false
    }
    return found
  }

  /// See ``SyncServerStorage/concealing(_:in:of:over:)``.
  func concealing(
    _ hidden: Set<SyncObjectID>, in values: SyncValues, of object: SyncObjectID,
    over known: SyncValues?
  ) -> SyncValues {
    replacing(in: values, of: object, over: known) { !hidden.isDisjoint(with: $0) }
  }

  /// Replaces the new destinations of relationships for which `isHidden` returns true. Attributes that hold keys stay:
  /// they connect nothing in the store.
  private func replacing(
    in values: SyncValues, of object: SyncObjectID, over known: SyncValues?,
    _ isHidden: (_ candidates: [SyncObjectID]) -> Bool
  ) -> SyncValues {
    guard let form = forms[object.entity] else { return values }
    var values = values
    for (index, destination) in form.relationships {
      let name = form.plan.properties[index].name
      guard let value = values[name], value != known?[name], let key = SyncSchema.key(value),
        isHidden(candidates(for: SyncObjectID(destination, key)))
      else { continue }
      // A key that no object has, also where any text is a key.
      values[name] = .text(UUID().uuidString)
    }
    for list in form.lists {
      guard case .list(let elements) = values[list.name] else { continue }
      var held: Set<SyncValue> = []
      if case .list(let known) = known?[list.name] { held = Set(known) }
      let shown = elements.filter { element in
        guard !held.contains(element), let key = SyncSchema.key(element) else { return true }
        return !isHidden(candidates(for: SyncObjectID(list.destination, key)))
      }
      if shown.count < elements.count { values[list.name] = .list(shown) }
    }
    return values
  }
}
