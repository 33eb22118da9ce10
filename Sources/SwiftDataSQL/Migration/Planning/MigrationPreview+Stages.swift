import SwiftDataCore

extension MigrationPreview.Stage {
  /// - Parameters:
  ///   - integer: Runs a query for a number on the rows that the stage starts with; nil when these aren't known.
  ///   - problems: Errors that would stop the stage.
  package init(
    _ planned: PlannedStage<some StoredAttributes>, dialect: any SQLDialect,
    _ integer: ((String) throws -> Int64?)?, problems: [MigrationError]
  ) throws {
    let step = planned.step
    func count(_ query: String) throws -> Int? { try integer?(query).map(Int.init(_:)) }
    func rows(of table: String) throws -> Int? {
      try count("SELECT count(*) FROM \(SQLIdentifier.quoted(table))")
    }
    var tables: [MigrationPreview.TableChange] = []
    for table in step.tables {
      switch table.action {
      case .create: tables.append(.init(table: table.name, method: .create, rows: nil))
      case .alter:
        tables.append(.init(table: table.name, method: .alter, rows: try rows(of: table.name)))
      case .rebuild:
        let counts = try table.counts.compactMap(count)
        let sum = integer == nil ? nil : counts.reduce(0, +)
        tables.append(.init(table: table.name, method: .rebuild, rows: sum))
      }
    }
    for pairs in step.pairs {
      let rows = try pairs.source.flatMap {
        try count("SELECT count(*) FROM \(dialect.subquery($0))")
      }
      tables.append(.init(table: pairs.name, method: .rebuild, rows: rows))
    }
    for table in step.dropped {
      tables.append(.init(table: table, method: .drop, rows: try rows(of: table)))
    }
    let losses = try step.losses.compactMap { loss in
      let rows = try count(loss.count)
      return rows == 0 ? nil : MigrationPreview.Loss(description: loss.description, rows: rows)
    }
    self.init(
      name: planned.name, runsCode: planned.isCustom, changes: step.changes, tables: tables,
      losses: losses, problems: problems, expiresHistory: step.expiresHistory)
  }
}

extension MigrationPreview {
  /// The stages with what is known of their rows: those of the first stages that change nothing, and of the one behind
  /// them.
  package static func stages<Attributes>(
    _ planned: [PlannedStage<Attributes>], dialect: any SQLDialect,
    _ integer: @escaping (String) throws -> Int64?,
    problems: (PlannedStage<Attributes>) throws -> [MigrationError]
  ) throws -> [Stage] {
    var isOriginal = true
    return try planned.map { stage in
      if stage.willMigrate != nil { isOriginal = false }
      defer { if stage.isCustom || !stage.step.isEmpty { isOriginal = false } }
      guard isOriginal else { return try Stage(stage, dialect: dialect, nil, problems: []) }
      return try Stage(
        stage, dialect: dialect, integer, problems: try problems(stage))
    }
  }
}
