/// The relationships of models that a save outdates without having changed them, because it deletes their destinations.
struct LinksToDeletedRows {
  /// The models that may hold deleted ones; nil when walking all registered models is the better way to find them.
  private let owners: [any PersistentModel]?
  /// The relationships that lead to deleted classes, by plan: most models share few plans.
  private var concerned: [ObjectIdentifier: [Int]] = [:]
  /// The references that are written as empty, because they lead to models that the save deletes, although rows keep
  /// such keys otherwise.
  private let emptied: [ObjectIdentifier: (model: any PersistentModel, properties: [Int])]

  /// Finds the models that may hold those that a save is about to delete, while the deleted rows exist.
  init(of deleted: [any PersistentModel], in context: ModelContext) throws {
    owners = try Self.owners(ofFew: deleted, in: context)
    emptied = deleted.isEmpty ? [:] : Self.emptied(in: context)
  }

  /// Returns the properties of ``emptied`` before the save.
  private static func emptied(
    in context: ModelContext
  ) -> [ObjectIdentifier: (model: any PersistentModel, properties: [Int])] {
    let plans = context.core.plans.filter { $0.relationships.contains(where: $0.keepsKey) }
    guard !plans.isEmpty else { return [:] }
    var emptied: [ObjectIdentifier: (model: any PersistentModel, properties: [Int])] = [:]
    for model in context.pending.changed.models + context.pending.inserted.models {
      let state = model._$modelState
      guard let plan = state.plan, plans.contains(where: { $0 === plan }) else { continue }
      let properties = plan.relationships.filter { index in
        guard plan.keepsKey(index),
          state.flags.contains(.inserted) || state.changes.contains(index),
          case .one(let destination?) = model.links(at: index)
        else { return false }
        return destination._$modelState.flags.contains(.deleted)
      }
      if !properties.isEmpty { emptied[ObjectIdentifier(model)] = (model, properties) }
    }
    return emptied
  }

  /// Returns the models that may hold models that a save is about to delete; nil when walking all registered models is
  /// the better way to find them.
  ///
  /// A program that deletes and saves one model after the other must not pay for all registered models each time. The
  /// store knows which rows lead to a deleted one, as long as the deleted row exists. Changed and inserted models may
  /// hold other models than their rows say.
  private static func owners(
    ofFew deleted: [any PersistentModel], in context: ModelContext
  ) throws -> [any PersistentModel]? {
    guard !deleted.isEmpty, context.pending.droppedClasses.isEmpty,
      context.pending.batchDeletions.isEmpty
    else { return nil }
    let registered = context.link.rowIDMaps.values.reduce(0) { $0 + $1.count }
    guard deleted.count < registered / 64 else { return nil }
    var owners = context.pending.changed.models + context.pending.inserted.models
    for capabilities in context.core.capabilities {
      guard let store = capabilities.rowIDs else { return nil }
      for plan in capabilities.plans {
        for index in plan.ownRelationships {
          guard let relationship = plan.properties[index].relationship,
            relationship.inverse == nil || relationship.isUnaffectedByDeletion
          else { continue }
          let rowIDs = deleted.filter {
            ModelInheritance.isClass(type(of: $0), orSubclassOf: relationship.destination)
          }.map(\._$modelState.rowID)
          guard !rowIDs.isEmpty else { continue }
          if relationship.storage == .inverseColumn { return nil }
          let rows = context.link.rows(of: plan)
          owners += try store.owners(of: plan, index, destinations: rowIDs)
            .compactMap { rows[$0] as? any PersistentModel }
        }
      }
    }
    return owners
  }

  /// Removes, after a save, deleted models from the relationships that the deletions outdated: those without an
  /// inverse, those that the rules `noAction` and `deny` left alone, and, when rows were deleted by predicate, all
  /// others, because then no rule was applied in memory.
  ///
  /// - Parameters:
  ///   - classes: The classes of the deleted models.
  ///   - rows: The deleted rows.
  ///   - isByPredicate: Whether there are rows that were deleted without their models.
  mutating func drop(
    toClasses classes: [any PersistentModel.Type], _ rows: @autoclosure () -> DeletedRows,
    isByPredicate: Bool, in context: ModelContext
  ) {
    guard !classes.isEmpty else { return }
    func relationships(of plan: EntityPlan) -> [Int] {
      Self.relationships(of: plan, toAnyOf: classes, isByPredicate: isByPredicate, in: context)
    }
    let owners = owners ?? Self.registered(in: context) { !relationships(of: $0).isEmpty }
    WorkCounter.add(owners.count, to: .linkOwners)
    guard !owners.isEmpty else { return }
    let rows = rows()
    for model in owners {
      guard let plan = model._$modelState.plan else { continue }
      let key = ObjectIdentifier(plan)
      let indices = concerned[key] ?? relationships(of: plan)
      concerned[key] = indices
      let emptied = emptied[ObjectIdentifier(model)]?.properties ?? []
      for index in indices {
        let keepsKey = plan.keepsKey(index) && !emptied.contains(index)
        Self.dropDeleted(of: model, index, rows, keepsKey: keepsKey, in: context)
      }
    }
  }

  /// Returns the registered models of the tables with a class whose relationships are concerned.
  private static func registered(
    in context: ModelContext, isConcerned: (EntityPlan) -> Bool
  ) -> [any PersistentModel] {
    let tables = Set(
      context.core.plans.filter { isConcerned($0) }.map(\.table))
    return context.link.rowIDMaps.filter { tables.contains($0.key) }.values.flatMap(\.registered)
  }

  private static func relationships(
    of plan: EntityPlan, toAnyOf classes: [any PersistentModel.Type], isByPredicate: Bool,
    in context: ModelContext
  ) -> [Int] {
    plan.relationships.filter { index in
      guard let relationship = plan.properties[index].relationship,
        classes.contains(where: {
          ModelInheritance.isClass($0, orSubclassOf: relationship.destination)
        })
      else { return false }
      return isByPredicate || relationship.inverse == nil
        || relationship.isUnaffectedByDeletion
    }
  }

  /// - Parameter keepsKey: Whether the model's row keeps the key of a deleted destination.
  private static func dropDeleted(
    of model: any PersistentModel, _ index: Int, _ rows: DeletedRows, keepsKey: Bool,
    in context: ModelContext
  ) {
    let state = model._$modelState
    guard let relationship = state.relationship(at: index) else { return }
    // A list with recorded changes isn't in the model's storage.
    if state.linkChanges(at: index) != nil { _ = context.destinations(of: model, index) }
    let links = model.links(at: index)
    guard let models = links.models else {
      if let rowID = state.reference(at: index), rows.contain(rowID, of: relationship, in: context),
        !keepsKey
      {
        state.setReference(nil, at: index)
        model.setLinks(.one(nil), at: index)
      }
      return
    }
    let kept = models.filter { !$0._$modelState.flags.contains(.rowDeleted) }
    guard kept.count < models.count else { return }
    for gone in models where gone._$modelState.flags.contains(.rowDeleted) {
      context.undo.recordLostLink(of: model, at: index, to: gone)
    }
    if !relationship.isToMany {
      // Otherwise the key would lead to the row again if another context brings it back.
      let rowID = keepsKey ? models.first?._$modelState.rowID : nil
      state.setReference(rowID == 0 ? nil : rowID, at: index)
    }
    model.setLinks(relationship.isToMany ? .many(kept) : .one(nil), at: index)
  }
}

extension EntityPlan {
  /// Whether a row keeps the key of a deleted destination in the column of the relationship at `index`.
  fileprivate func keepsKey(_ index: Int) -> Bool {
    guard let relationship = properties[index].relationship else { return false }
    return relationship.storage == .column && relationship.keepsKeys
  }
}

/// The rows that a save has deleted, by table.
struct DeletedRows {
  private var rowIDs: [String: Set<Int64>] = [:]

  init(_ identifiers: [PersistentIdentifier], in context: ModelContext) {
    for identifier in identifiers {
      guard let entry = context.core.entry(named: identifier.entityName),
        let rowID = entry.store.rowID(for: identifier)
      else { continue }
      rowIDs[entry.plan.table, default: []].insert(rowID)
    }
  }

  func contain(_ rowID: Int64, of relationship: RelationshipPlan, in context: ModelContext) -> Bool
  {
    guard let table = context.core.plan(of: relationship.destination)?.table else { return false }
    return rowIDs[table]?.contains(rowID) == true
  }
}
