import Foundation
import SwiftDataCore

/// Determines the schema of a store, the wanted schema, and the stages between them.
package struct MigrationStages<Attributes: StoredAttributes> {
  /// The version that the store should have.
  package let wanted: PlannedVersion<Attributes>
  package let forms: EntityForms
  private let plan: MigrationPath?
  private let target: (any VersionedSchema.Type)?
  private let dialect: any SQLDialect
  private let makeAttributes: ([EntityPlan]) throws -> Attributes

  /// - Parameters:
  ///   - attributes: Makes the forms of the attributes of another version.
  /// - Throws: ``MigrationError`` for a plan that contradicts itself.
  package init(
    wanted: PlannedVersion<Attributes>, plan: (any SchemaMigrationPlan.Type)?,
    dialect: any SQLDialect,
    attributes: @escaping ([EntityPlan]) throws -> Attributes
  ) throws {
    self.wanted = wanted
    forms = EntityForms(wanted.description)
    self.dialect = dialect
    makeAttributes = attributes
    self.plan = try plan.map { try MigrationPath($0) }
    target = self.plan.flatMap { Self.target($0, wanted.schema) }
  }

  /// The version of the file after the migration.
  package var version: Schema.Version { target?.versionIdentifier ?? wanted.schema.version }

  /// The version of a plan that consists of a schema's classes; of several, the one with the schema's version, or else
  /// the newest.
  private static func target(
    _ plan: MigrationPath, _ schema: Schema
  ) -> (any VersionedSchema.Type)? {
    let types = Set(schema.types.map { ObjectIdentifier($0) })
    let fitting = plan.versions.filter { version in
      let own = Set(version.models.map { ObjectIdentifier($0) })
      return !own.isEmpty && (own.isSubset(of: types) || types.isSubset(of: own))
    }
    return fitting.last { $0.versionIdentifier == schema.version } ?? fitting.last
  }

  /// Whether a file needs no migration.
  package func fits(_ stored: StoredSchemaState) -> Bool {
    guard stored.fits(forms) else { return false }
    return (stored.version ?? Schema.Version(0, 0, 0)) >= version
  }

  // MARK: - Stages

  /// - Throws: ``SwiftDataError/unknownDataStoreSchema`` when the file is no version of the plan,
  ///   ``SwiftDataError/backwardMigration`` when it is a newer one, ``MigrationError`` for a gap in the plan,
  ///   ``SchemaError`` for classes that can't be stored.
  package func stages(
    of store: some MigratedStore
  ) throws -> [PlannedStage<Attributes>] {
    let stored = try store.state
    let described = stored?.isDescribed ?? false ? try store.description : nil
    // A plan without stages only says which version the models are.
    guard let plan, plan.hasStages || target == nil else {
      let file = try described ?? store.description(by: wanted.description)
      try refuseNewer(file, stored?.version, store)
      let stage = try stage("inferred", file: file, from: nil, to: wanted, removing: [])
      if let stored { try refuseNewerFile(stage.step, stored, store) }
      return [stage]
    }
    return try stages(plan, described, stored?.version, store)
  }

  private func refuseNewer(
    _ file: SchemaDescription, _ version: Schema.Version?, _ store: some MigratedStore
  ) throws {
    guard let version, version > self.version else { return }
    let changes = wanted.description.changes(to: file).filter {
      $0.kind != .addedEntity && $0.kind != .layout
    }
    guard !changes.isEmpty else { return }
    throw backward("version \(version)", store, changes)
  }

  /// Without versions, a program whose models the file has outgrown is an older one. It may continue as long as no data
  /// is lost.
  private func refuseNewerFile(
    _ step: SchemaStep, _ stored: StoredSchemaState, _ store: some MigratedStore
  ) throws {
    let outgrown = stored.changedEntities(forms)
    guard !outgrown.isEmpty, version <= stored.version ?? version,
      let loss = try step.losses.first(where: { try (store.integer($0.count) ?? 0) > 0 })
    else { return }
    throw SwiftDataError.backwardMigration.explained(
      "The store \(store.address) was migrated from these models (\(outgrown.joined(separator: ", "))) to"
        + " newer ones; going back would lose \(loss.description). Use a newer version of the program, or give"
        + " the schema a version higher than \(stored.version ?? version) to go back in spite of that."
    )
  }

  private func backward(
    _ found: String, _ store: some MigratedStore, _ changes: [SchemaChange]
  ) -> SwiftDataError {
    SwiftDataError.backwardMigration.explained(
      "The store \(store.address) has \(found) of its schema, newer than \(version), which this program"
        + " has. Use a newer version of the program. \(Self.list(changes, "Compared with \(version), in the file"))"
    )
  }

  private static func list(_ changes: [SchemaChange], _ heading: String) -> String {
    guard !changes.isEmpty else { return "" }
    let shown = changes.prefix(12).map(\.description).joined(separator: "; ")
    return "\(heading): \(shown)" + (changes.count > 12 ? "; and \(changes.count - 12) more." : ".")
  }

  // MARK: - Migration plans

  private func describe(
    _ version: any VersionedSchema.Type
  ) throws -> PlannedVersion<Attributes> {
    if version == target, isComplete(version) { return wanted }
    let schema = Schema(versionedSchema: version)
    let plans = try EntityPlan.plans(of: schema.types)
    let plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    try SchemaNames.check(plans, plansByType: plansByType, dialect: dialect)
    return PlannedVersion(
      schema, plans, try makeAttributes(plans), version: version.versionIdentifier,
      dialect: dialect)
  }

  /// Whether the store has all models of the plan, and not only one configuration's part.
  private func isComplete(_ version: any VersionedSchema.Type) -> Bool {
    let types = Set(wanted.schema.types.map { ObjectIdentifier($0) })
    return Set(version.models.map { ObjectIdentifier($0) }).isSubset(of: types)
  }

  private func stages(
    _ plan: MigrationPath, _ described: SchemaDescription?, _ storedVersion: Schema.Version?,
    _ store: some MigratedStore
  ) throws -> [PlannedStage<Attributes>] {
    let versions = try plan.versions.map { version in
      let planned = try describe(version)
      return (
        version: version, planned: planned,
        file: try described ?? store.description(by: planned.description)
      )
    }
    guard let target else {
      let nearest =
        versions.map {
          $0.planned.description.changes(to: wanted.description)
        }.min { $0.count < $1.count } ?? []
      throw MigrationError(
        .invalidPlan, path: store.address,
        explanation: "no version of the migration plan consists of the container's models."
          + " \(Self.list(nearest, "Compared with the nearest version, the container's"))"
          + " Make the container with the models of the plan's last version.")
    }
    let own = versions.first { $0.version == target }?.file ?? wanted.description
    let names = Set(versions.flatMap { $0.planned.description.entities.keys })
    guard own.entities.keys.contains(where: names.contains) else {
      return [try stage("new", file: own, from: nil, to: wanted, removing: [])]
    }
    let fitting = versions.filter { isVersion($0.planned.description, $0.file) }
    let start =
      fitting.first { $0.version.versionIdentifier == storedVersion }
      ?? fitting.max {
        ($0.planned.description.entities.count, $0.version.versionIdentifier)
          < ($1.planned.description.entities.count, $1.version.versionIdentifier)
      }
    guard var start else {
      throw unknown(
        versions.map { ($0.version, $0.planned.description, $0.file) }, storedVersion, store)
    }
    if start.version.versionIdentifier == storedVersion {
      start.file = start.file.completed(by: start.planned.description, areOwn: true)
    }
    func planned(_ steps: [MigrationPath.Step]) throws -> [PlannedStage<Attributes>] {
      try stages(
        from: start.planned, start.file,
        steps.map { step in
          (step, versions.first { $0.version == step.to }?.planned ?? wanted)
        })
    }
    if start.version.versionIdentifier > target.versionIdentifier {
      if let back = plan.downgradeSteps(from: start.version, to: target) {
        return try planned(back).map { stage in
          var stage = stage
          stage.isDowngrade = true
          return stage
        }
      }
      let changes = wanted.description.changes(to: start.file).filter { $0.kind != .layout }
      guard changes.isEmpty else {
        throw backward("version \(start.version.versionIdentifier)", store, changes)
      }
    }
    guard start.version.versionIdentifier < target.versionIdentifier else {
      return [try stage("inferred", file: start.file, from: nil, to: wanted, removing: [])]
    }
    return try planned(plan.steps(from: start.version, to: target))
  }

  private func stages(
    from start: PlannedVersion<Attributes>, _ file: SchemaDescription,
    _ steps: [(step: MigrationPath.Step, to: PlannedVersion<Attributes>)]
  ) throws -> [PlannedStage<Attributes>] {
    var result: [PlannedStage<Attributes>] = []
    var from = start
    var file = file
    for (index, next) in steps.enumerated() {
      let to = index == steps.count - 1 ? wanted : next.to
      let removing = Set(from.description.entities.keys).subtracting(
        next.to.description.entities.keys)
      var stage = try stage(
        "\(next.step.from) to \(next.step.to)", file: file, from: from, to: to, removing: removing)
      if case .custom(_, _, let will, let did) = next.step.stage {
        stage.willMigrate = will
        stage.didMigrate = did
      }
      result.append(stage)
      file = stage.step.result
      from = next.to
    }
    return result
  }

  /// Whether a file has a version's entities; entities that are in neither the file nor the store's models belong to
  /// other stores.
  private func isVersion(_ version: SchemaDescription, _ file: SchemaDescription) -> Bool {
    let relevant = version.entities.filter { name, _ in
      file[name] != nil || wanted.description[name] != nil
    }
    return !relevant.isEmpty
      && relevant.allSatisfy { name, entity in
        file[name]?.completed(by: entity).modelFingerprint == entity.modelFingerprint
      }
  }

  private func unknown(
    _ versions: [(any VersionedSchema.Type, SchemaDescription, SchemaDescription)],
    _ storedVersion: Schema.Version?, _ store: some MigratedStore
  ) -> SwiftDataError {
    let differences = versions.map { version, planned, file in
      (version, planned.changes(to: file).filter { $0.kind != .layout })
    }
    let nearest = differences.min {
      ($0.1.count, $1.0.versionIdentifier) < ($1.1.count, $0.0.versionIdentifier)
    }
    if let storedVersion, storedVersion > version {
      return backward("version \(storedVersion)", store, nearest?.1 ?? [])
    }
    let name = nearest.map { "\($0.0) (\($0.0.versionIdentifier))" } ?? "none"
    return SwiftDataError.unknownDataStoreSchema.explained(
      "The store \(store.address) is no version of the migration plan. A version that was shipped must"
        + " stay as it was. \(Self.list(nearest?.1 ?? [], "Compared with \(name), the nearest, in the file"))"
    )
  }

  private func stage(
    _ name: String, file: SchemaDescription, from: PlannedVersion<Attributes>?,
    to: PlannedVersion<Attributes>,
    removing: Set<String>
  ) throws -> PlannedStage<Attributes> {
    let step = try SchemaStep(
      from: file, to: to.description, plans: to.plans, removing: removing, dialect: dialect
    ) { plan, property in
      guard var row = try plan.defaultRow(of: property) else { return nil }
      try to.attributes.encrypt(
        &row, columns: Array(plan.properties[property].columns), of: plan)
      return row.cells.map { SQLValue($0, bytes: row) }
    }
    return PlannedStage(name: name, from: from, to: to, step: step)
  }
}
