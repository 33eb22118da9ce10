import Foundation
import SwiftDataCore
import SwiftDataSQL

/// A dry run of the changes that opening a store would make.
public struct MigrationPreview: Sendable, CustomStringConvertible {
  /// The change to a table.
  public struct TableChange: Sendable, CustomStringConvertible {
    /// The way in which the table is changed; an open set.
    public struct Method: Hashable, Sendable, CustomStringConvertible {
      public let description: String
      init(_ description: String) { self.description = description }
      /// The table is created.
      public static let create = Method("create")
      /// The table is changed in place, in a time that doesn't depend on its rows.
      public static let alter = Method("alter")
      /// Every row is rewritten.
      public static let rebuild = Method("rebuild")
      /// The table is dropped.
      public static let drop = Method("drop")
    }

    public let table: String
    public let method: Method
    /// The current number of rows; nil after a custom stage, whose code may change it.
    public let rows: Int?

    public var description: String {
      "\(method) \(table)" + (rows.map { " (\($0) rows)" } ?? "")
    }
  }

  /// Data of the file that the new schema has no place for.
  public struct Loss: Sendable, CustomStringConvertible {
    public let description: String
    /// The number of rows that have it; nil after a custom stage.
    public let rows: Int?
  }

  /// One stage, in the order in which they run.
  public struct Stage: Sendable {
    /// `inferred`, or the two versions.
    public let name: String
    /// Whether the stage runs code of the plan. The dry run doesn't run it.
    public let runsCode: Bool
    public let changes: [SchemaChange]
    public let tables: [TableChange]
    public let losses: [Loss]
    /// The problems that would stop the migration. After a custom stage, rows can't be checked.
    public let problems: [MigrationError]
    /// Whether the history up to now can't be read afterwards, so that older tokens expire.
    public let expiresHistory: Bool
  }

  public let url: URL
  /// The version of the file after the migration.
  public let version: Schema.Version
  /// Empty when the store fits without changes, or doesn't exist yet.
  public let stages: [Stage]

  /// Whether opening would change the file.
  public var isNeeded: Bool { !stages.isEmpty }

  /// The plan as text, one line per step.
  public var description: String {
    guard isNeeded else { return "\(url.path): nothing to migrate" }
    var lines = ["\(url.path): to version \(version)"]
    for stage in stages {
      lines.append("stage \(stage.name)" + (stage.runsCode ? ", with code" : ""))
      lines += stage.changes.map { "  change: \($0)" }
      lines += stage.tables.map { "  table: \($0)" }
      lines += stage.losses.map { loss in
        "  left out: \(loss)" + (loss.rows.map { " (\($0))" } ?? "")
      }
      lines += stage.problems.map { "  problem: \($0.explanation)" }
      if stage.expiresHistory { lines.append("  history: older tokens expire") }
    }
    return lines.joined(separator: "\n")
  }
}

extension ModelContainer {
  /// Reports the changes that opening a store would make, without changing it or creating a file beside it. An addition
  /// to Apple's interface.
  ///
  /// - Parameters:
  ///   - schema: The models, as for opening.
  ///   - migrationPlan: The plan, as for opening.
  ///   - configuration: The store.
  /// - Throws: The errors of opening for a file that can't be used, or that is no version of the plan.
  public static func migrationPreview(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configuration: ModelConfiguration
  ) throws -> MigrationPreview {
    try configuration.validate()
    return try MigrationPreview(configuration.schema ?? schema, migrationPlan, configuration)
  }
}

extension MigrationPreview {
  fileprivate init(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configuration: ModelConfiguration
  ) throws {
    url = configuration.url
    guard !configuration.isStoredInMemoryOnly,
      FileManager.default.fileExists(atPath: configuration.url.path)
    else {
      version = schema.version
      stages = []
      return
    }
    let location = try StoreLocation.resolving(configuration.url)
    let plans = try EntityPlan.plans(of: schema.types)
    let attributes = try StoreAttributes(
      plans, key: configuration.encryptionKey, location: location, isReadOnly: true)
    (version, stages) = try Connection.readingWithoutSideFiles(of: location) { connection in
      let opening = try StoreOpening(
        connection: connection, configuration: configuration, location: location, schema: schema,
        plans: plans, attributes: attributes, migrationPlan: plan, isReadOnly: true)
      var isOriginal = true
      let stages: [Stage] = try opening.plannedStages().map { planned in
        if planned.willMigrate != nil { isOriginal = false }
        defer { if planned.isCustom || !planned.step.isEmpty { isOriginal = false } }
        return try Stage(planned, on: isOriginal ? connection : nil)
      }
      return (opening.version, stages)
    }
  }
}

extension MigrationPreview.Stage {
  /// - Parameter connection: A connection with the rows that the stage starts with; nil when these aren't known.
  fileprivate init(_ planned: PlannedStage<StoreAttributes>, on connection: Connection?) throws {
    let step = planned.step
    name = planned.name
    runsCode = planned.isCustom
    changes = step.changes
    expiresHistory = step.expiresHistory
    func count(_ table: String) throws -> Int? {
      try connection?.integer("SELECT count(*) FROM \(SQLIdentifier.quoted(table))")
        .map(Int.init(_:))
    }
    var tables: [MigrationPreview.TableChange] = []
    for table in step.tables {
      switch table.action {
      case .create: tables.append(.init(table: table.name, method: .create, rows: nil))
      case .alter:
        tables.append(.init(table: table.name, method: .alter, rows: try count(table.name)))
      case .rebuild:
        let counts = try table.origins.compactMap(count)
        let rows = connection == nil ? nil : counts.reduce(0, +)
        tables.append(.init(table: table.name, method: .rebuild, rows: rows))
      }
    }
    for pairs in step.pairs {
      let rows = try pairs.source.flatMap { source in
        try connection?.integer("SELECT count(*) FROM (\(source))").map(Int.init(_:))
      }
      tables.append(.init(table: pairs.name, method: .rebuild, rows: rows))
    }
    for table in step.dropped {
      tables.append(.init(table: table, method: .drop, rows: try count(table)))
    }
    self.tables = tables
    losses = try step.losses.compactMap { loss in
      let rows = try connection?.integer(loss.count).map(Int.init(_:))
      return rows == 0 ? nil : MigrationPreview.Loss(description: loss.description, rows: rows)
    }
    problems =
      try connection.map { connection in
        try StepChecks(
          connection: connection, step: step, plans: planned.to.plans,
          attributes: planned.to.attributes
        ).failures()
      } ?? []
  }
}
