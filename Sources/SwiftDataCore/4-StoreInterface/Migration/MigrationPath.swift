/// The stages of a plan, checked and sorted.
package struct MigrationPath {
  package struct Step {
    package let from: any VersionedSchema.Type
    package let to: any VersionedSchema.Type
    package let stage: MigrationStage

    /// Whether the step leads to an older version.
    var isDowngrade: Bool { to.versionIdentifier < from.versionIdentifier }
  }

  /// The versions, the oldest first.
  package let versions: [any VersionedSchema.Type]
  private let steps: [Step]
  private let plan: any SchemaMigrationPlan.Type

  /// Whether the plan describes how a store gets from one version to another. Without stages that is inferred, whatever
  /// version the store has.
  package var hasStages: Bool { !steps.isEmpty }

  /// - Throws: ``MigrationError`` with the code `invalidPlan`, naming the version or stage that is wrong.
  package init(_ plan: any SchemaMigrationPlan.Type) throws {
    self.plan = plan
    versions = plan.schemas.sorted { $0.versionIdentifier < $1.versionIdentifier }
    steps = plan.stages.map(\.step)
    try checkVersions()
    try checkStages()
  }

  private func failure(_ explanation: String) -> MigrationError {
    MigrationError(.invalidPlan, explanation: "The migration plan \(plan) \(explanation)")
  }

  private static func name(_ version: any VersionedSchema.Type) -> String {
    "\(version) (\(version.versionIdentifier))"
  }

  private func checkVersions() throws {
    guard !versions.isEmpty else { throw failure("names no schemas. List every version.") }
    for (first, second) in zip(versions, versions.dropFirst())
    where first.versionIdentifier == second.versionIdentifier {
      throw failure(
        "has two versions \(first.versionIdentifier): \(first) and \(second)."
          + " Give one another version identifier.")
    }
  }

  private func checkStages() throws {
    for step in steps {
      for version in [step.from, step.to] where position(of: version) == nil {
        throw failure(
          "has a stage for \(Self.name(version)), which its schemas don't list. Add it there.")
      }
      guard step.from != step.to else {
        throw failure(
          "has a stage from \(Self.name(step.from)) to itself. A stage leads to another version.")
      }
    }
    for (index, step) in steps.enumerated() {
      let other = steps[..<index].first {
        $0.from == step.from && $0.isDowngrade == step.isDowngrade
      }
      if let other {
        throw failure(
          "has two stages from \(Self.name(step.from)): to \(Self.name(other.to)) and to"
            + " \(Self.name(step.to)). Leave one.")
      }
    }
  }

  package func position(of version: any VersionedSchema.Type) -> Int? {
    versions.firstIndex { $0 == version }
  }

  /// Returns the steps from one version to a newer one.
  ///
  /// - Throws: ``MigrationError`` with the code `invalidPlan` when there is a gap.
  package func steps(
    from start: any VersionedSchema.Type, to end: any VersionedSchema.Type
  ) throws -> [Step] {
    var result: [Step] = []
    var current = start
    while current != end {
      guard let next = steps.first(where: { $0.from == current && !$0.isDowngrade }),
        next.to.versionIdentifier <= end.versionIdentifier
      else {
        throw failure(
          "has no stage from \(Self.name(current)) towards \(Self.name(end)). Add one.")
      }
      result.append(next)
      current = next.to
    }
    return result
  }

  /// Returns the steps from one version to an older one, as Apple's framework takes them.
  ///
  /// - Returns: The steps; nil when the plan has no such path.
  package func downgradeSteps(
    from start: any VersionedSchema.Type, to end: any VersionedSchema.Type
  ) -> [Step]? {
    var result: [Step] = []
    var current = start
    while current != end {
      guard let next = steps.first(where: { $0.from == current && $0.isDowngrade }),
        next.to.versionIdentifier >= end.versionIdentifier
      else { return nil }
      result.append(next)
      current = next.to
    }
    return result
  }
}

extension MigrationStage {
  fileprivate var step: MigrationPath.Step {
    switch self {
    case .lightweight(let from, let to), .custom(let from, let to, _, _):
      MigrationPath.Step(from: from, to: to, stage: self)
    }
  }
}
