import Foundation

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

    /// The name of the table.
    public let table: String
    /// The work on the table.
    public let method: Method
    /// The current number of rows; nil after a custom stage, whose code may change it.
    public let rows: Int?

    package init(table: String, method: Method, rows: Int?) {
      self.table = table
      self.method = method
      self.rows = rows
    }

    public var description: String {
      "\(method) \(table)" + (rows.map { " (\($0) rows)" } ?? "")
    }
  }

  /// Data of the file that the new schema has no place for.
  public struct Loss: Sendable, CustomStringConvertible {
    public let description: String
    /// The number of rows that have it; nil after a custom stage.
    public let rows: Int?

    package init(description: String, rows: Int?) {
      self.description = description
      self.rows = rows
    }
  }

  /// One stage, in the order in which they run.
  public struct Stage: Sendable {
    /// `inferred`, or the two versions.
    public let name: String
    /// Whether the stage runs code of the plan. The dry run doesn't run it.
    public let runsCode: Bool
    /// The changes of the schema.
    public let changes: [SchemaChange]
    /// The changes of tables.
    public let tables: [TableChange]
    /// The data that have no place in the new schema.
    public let losses: [Loss]
    /// The problems that would stop the migration. After a custom stage, rows can't be checked.
    public let problems: [MigrationError]
    /// Whether the history up to now can't be read afterwards, so that older tokens expire.
    public let expiresHistory: Bool

    package init(
      name: String, runsCode: Bool, changes: [SchemaChange], tables: [TableChange], losses: [Loss],
      problems: [MigrationError], expiresHistory: Bool
    ) {
      self.name = name
      self.runsCode = runsCode
      self.changes = changes
      self.tables = tables
      self.losses = losses
      self.problems = problems
      self.expiresHistory = expiresHistory
    }
  }

  /// The file, or the server and the database.
  public let url: URL
  /// The store in ``description``.
  private let store: String
  /// The version of the file after the migration.
  public let version: Schema.Version
  /// Empty when the store fits without changes, or doesn't exist yet.
  public let stages: [Stage]

  package init(url: URL, store: String? = nil, version: Schema.Version, stages: [Stage]) {
    self.url = url
    self.store = store ?? url.path
    self.version = version
    self.stages = stages
  }

  /// Whether opening would change the file.
  public var isNeeded: Bool { !stages.isEmpty }

  /// The plan as text, one line per step.
  public var description: String {
    guard isNeeded else { return "\(store): nothing to migrate" }
    var lines = ["\(store): to version \(version)"]
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
