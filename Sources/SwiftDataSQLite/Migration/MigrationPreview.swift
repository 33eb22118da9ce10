import Foundation
import SwiftDataCore
import SwiftDataSQL

/// What opening a store would do to it: a dry run.
public struct MigrationPreview: Sendable, CustomStringConvertible {
  /// What happens to a table.
  public struct TableChange: Sendable, CustomStringConvertible {
    /// How the table is changed; an open set.
    public struct Method: Hashable, Sendable, CustomStringConvertible {
      public let description: String
      init(_ description: String) { self.description = description }
      /// The table is made.
      public static let create = Method("create")
      /// The table is changed where it is, in a time that doesn't depend on its rows.
      public static let alter = Method("alter")
      /// Every row is written anew.
      public static let rebuild = Method("rebuild")
      /// The table goes.
      public static let drop = Method("drop")
    }

    public let table: String
    public let method: Method
    /// How many rows there are now; nil after a custom stage, whose code may change that.
    public let rows: Int?

    public var description: String {
      "\(method) \(table)" + (rows.map { " (\($0) rows)" } ?? "")
    }
  }

  /// What the file has that the new schema has no place for.
  public struct Loss: Sendable, CustomStringConvertible {
    public let description: String
    /// How many rows have it; nil after a custom stage.
    public let rows: Int?
  }

  /// One stage, in the order in which they run.
  public struct Stage: Sendable {
    /// `inferred`, or the versions.
    public let name: String
    /// Whether the stage runs code of the plan. The dry run doesn't run it.
    public let runsCode: Bool
    public let changes: [SchemaChange]
    public let tables: [TableChange]
    public let losses: [Loss]
    /// What would stop the migration. After a custom stage nothing can be said about rows.
    public let problems: [MigrationError]
    /// Whether the history up to now can't be read afterwards, so that older tokens expire.
    public let expiresHistory: Bool
  }

  public let url: URL
  /// The version that the file has afterwards.
  public let version: Schema.Version
  /// Nothing when the store fits as it is, or isn't there yet.
  public let stages: [Stage]

  /// Whether opening would change the file.
  public var isNeeded: Bool { !stages.isEmpty }

  /// The plan as text, a line a step.
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
  /// Says what opening a store would do, without changing it. An addition to Apple's interface.
  ///
  /// - Parameters:
  ///   - schema: The models, as for opening.
  ///   - migrationPlan: The plan, as for opening.
  ///   - configuration: The store.
  /// - Throws: What opening throws for a file that can't be used, or that is no version of the plan.
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
    let connection = try Connection(location, role: .writer, isReadOnly: true)
    let opening = try StoreOpening(
      connection: connection, configuration: configuration, location: location, schema: schema,
      plans: plans, attributes: attributes, migrationPlan: plan, isReadOnly: true)
    version = opening.version
    var isOriginal = true
    stages = try opening.plannedStages().map { planned in
      if planned.willMigrate != nil { isOriginal = false }
      defer { if planned.isCustom || !planned.step.isEmpty { isOriginal = false } }
      return try Stage(planned, on: isOriginal ? connection : nil)
    }
  }
}

extension MigrationPreview.Stage {
  /// - Parameter connection: Has the rows that the stage begins with; nil when that can't be known.
  fileprivate init(_ planned: PlannedStage, on connection: Connection?) throws {
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
