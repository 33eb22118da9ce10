import SwiftDataCore

/// Handles objects that were deleted locally and come back because a server or a policy keeps them.
extension ModelSyncStorage {
  /// Returns the objects that referred to the returning objects, with these references as the server knows them.
  ///
  /// The deletion removed the references. That is not an edit of the objects that had them, so no other code restores
  /// them.
  func relinked(
    _ writes: SyncWrites
  ) throws -> [(object: SyncObjectID, values: SyncValues?)] {
    let returned = try returned(writes)
    guard !returned.isEmpty else { return [] }
    let written = Set(writes.values.map(\.object))
    var relinked: [(object: SyncObjectID, values: SyncValues?)] = []
    for form in access.forms.values where form.annotations == nil {
      let entities = Set(returned.map(\.entity))
      guard
        form.relationships.contains(where: { entities.contains($0.destination) })
          || form.lists.contains(where: { entities.contains($0.destination) })
      else { continue }
      let bases = try bases(of: form, leadingTo: returned).filter { !written.contains($0.key) }
      for (object, entry) in try load(Array(bases.keys)) {
        guard let values = entry.values, let base = bases[object] else { continue }
        let restored = restoring(returned, in: values, of: form, from: base)
        if restored != values { relinked.append((object, restored)) }
      }
    }
    return relinked.sorted { $0.object < $1.object }
  }

  /// Returns the objects that no longer exist as models and become models again, under each entity through which a
  /// relationship refers to them.
  private func returned(_ writes: SyncWrites) throws -> Set<SyncObjectID> {
    let reached = Set(access.destinations.values.joined())
    let candidates = writes.values.filter { object, values in
      values != nil && !reached.isDisjoint(with: access.families.line(of: object.entity))
    }.map(\.object)
    guard !candidates.isEmpty else { return [] }
    return try access.store.readRows { transaction in
      let present = try access.rows(of: candidates, transaction)
      let absent = candidates.filter { present[$0] == nil }
      var returned: Set<SyncObjectID> = []
      // The records of those that went with others are forgotten.
      if writes.mayReturn {
        let known = writes.forgotten.map { named($0) }
        for object in absent {
          let names = named([object])
          if known.map({ !$0.isDisjoint(with: names) }) ?? true { returned.formUnion(names) }
        }
        if known == nil { return returned }
      }
      // For an object that existed locally, the bookkeeping tables hold the base values.
      try transaction.forEachRow(
        of: absent, in: SyncTables.objects, [], where: .isNotNull("base")
      ) { object, _ in
        returned.formUnion(named([object]))
      }
      return returned
    }
  }

  /// Returns objects under each entity through which a relationship refers to them.
  private func named(_ objects: Set<SyncObjectID>) -> Set<SyncObjectID> {
    Set(
      objects.lazy.flatMap { [access] object in
        access.families.line(of: object.entity).map { SyncObjectID($0, object.key) }
      })
  }

  /// Returns the base values of the objects of a class that refer to one of the returning objects.
  private func bases(
    of form: ModelForm, leadingTo returned: Set<SyncObjectID>
  ) throws -> [SyncObjectID: SyncValues] {
    var bases: [SyncObjectID: SyncValues] = [:]
    try read(
      SideTableQuery(
        SyncTables.objects, ["key", "base"],
        where: .all([.equal("entity", .text(form.entity)), .isNotNull("base")]))
    ) { columns in
      guard let key = columns[0].text,
        case .object(let base) = try access.document(columns[1])
      else { return }
      let leads =
        form.relationships.contains { index, destination in
          let name = form.plan.properties[index].name
          return base[name].flatMap(SyncSchema.key)
            .map { returned.contains(SyncObjectID(destination, $0)) } ?? false
        }
        || form.lists.contains { list in
          guard case .list(let elements) = base[list.name] else { return false }
          return elements.lazy.compactMap(SyncSchema.key)
            .contains { returned.contains(SyncObjectID(list.destination, $0)) }
        }
      if leads { bases[SyncObjectID(form.entity, key)] = base }
    }
    return bases
  }

  private func restoring(
    _ returned: Set<SyncObjectID>, in values: SyncValues, of form: ModelForm, from base: SyncValues
  ) -> SyncValues {
    var values = values
    for (index, destination) in form.relationships {
      let name = form.plan.properties[index].name
      guard values[name] == .some(.null), let key = base[name].flatMap(SyncSchema.key),
        returned.contains(SyncObjectID(destination, key))
      else { continue }
      values[name] = base[name]
    }
    for list in form.lists {
      guard case .list(let elements) = values[list.name], case .list(let agreed) = base[list.name]
      else { continue }
      let back = agreed.enumerated().filter { _, element in
        SyncSchema.key(element).map { returned.contains(SyncObjectID(list.destination, $0)) }
          ?? false
      }
      values[list.name] = ListMerge.filled(
        elements, back.map { ($0.offset, $0.element) }, isOrdered: list.isOrdered)
    }
    return values
  }
}
