import BenchmarkSupport
import Foundation

/// libpq as handwritten code uses it: COPY for many rows, prepared statements, pipelines, binary values.
enum RawTrials {
  private static let name = "bench_raw"

  /// A store with rows.
  private static func filled(_ rows: Int) throws -> RawPostgres {
    let connection = try RawTables.create(name)
    try RawTables.copy(QuakeRows(rows), connection)
    try connection.execute("ANALYZE quake")
    return connection
  }

  /// P1, P3: rows into an empty table.
  static func insertion(_ count: @escaping @Sendable (Int) -> Int = { $0 }) -> Trial {
    Trial(nil) { place in
      let rows = Array(QuakeRows(count(place.rows)))
      let connection = try RawTables.create(name)
      return Run(
        work: {
          try connection.execute("BEGIN")
          try RawTables.copy(rows, connection)
          try connection.execute("COMMIT")
        }, checksum: { try RawTables.checksum(name) })
    }
  }

  /// P2: the same rows again, a tenth of them changed, through a temporary table.
  static let upsert = Trial(nil) { place in
    let rows = Array(QuakeRows(place.rows, revisedOneIn: 10))
    let connection = try filled(place.rows)
    return Run(
      work: {
        try connection.execute(
          "BEGIN; CREATE TEMPORARY TABLE batch ON COMMIT DROP AS SELECT * FROM quake WITH NO DATA")
        try RawTables.copy(rows, into: "batch", connection)
        try connection.execute(RawTables.merge)
        try connection.execute("COMMIT")
      }, checksum: { try RawTables.checksum(name) })
  }

  /// P4: all rows as structures.
  static let structures = Trial(nil) { place in
    let connection = try filled(place.rows)
    try connection.prepare("all", RawTables.selection)
    return Run(reading: {
      let result = try connection.run("all")
      var quakes: [QuakeRow] = []
      quakes.reserveCapacity(Int(result.count))
      for row in 0..<result.count { quakes.append(RawTables.row(result, row)) }
      var sum = Checksum()
      for quake in quakes { sum.add(quake) }
      return sum
    })
  }

  /// P5: look-ups by the unique key, in random order.
  static let lookups = Trial(nil) { place in
    let codes = Lookups.codes(place)
    let connection = try filled(place.rows)
    try connection.prepare("one", RawTables.selection + " WHERE code = $1")
    return Run(reading: {
      var sum = Checksum()
      for code in codes {
        let result = try connection.run("one", RawParameters(code))
        if result.count > 0 { sum.add(RawTables.row(result, 0)) }
      }
      return sum
    })
  }

  /// P6: the same in one pipeline.
  static let pipelinedLookups = Trial(nil) { place in
    let codes = Array(Set(Lookups.codes(place)))
    let connection = try filled(place.rows)
    try connection.prepare("one", RawTables.selection + " WHERE code = $1")
    return Run(reading: {
      var sum = Checksum()
      connection.begin()
      for start in stride(from: 0, to: codes.count, by: 256) {
        let part = codes[start..<min(start + 256, codes.count)]
        for code in part { try connection.send("one", RawParameters(code)) }
        try connection.sync()
        for _ in part {
          let result = try connection.next()
          if result.count > 0 { sum.add(RawTables.row(result, 0)) }
        }
        _ = try connection.next()
      }
      connection.end()
      return sum
    })
  }

  /// P7: small saves with history on several connections, each one flush.
  ///
  /// - Parameter isRecorded: Whether a transaction gets a number and is in the history.
  static func saves(connections count: Int, stores: Int = 1, isRecorded: Bool = true) -> Trial {
    Trial(nil) { place in
      let names = (0..<stores).map { "\(name)_\($0)" }
      for name in names { _ = try RawTables.create(name) }
      let connections = try (0..<count).map { number in
        let connection = try RawPostgres(schema: names[number % stores])
        try connection.prepare("begin", "BEGIN")
        try connection.prepare("insert", "INSERT INTO reading VALUES ($1, $2, $3, NULL)")
        try connection.prepare("record", RawTables.record)
        try connection.prepare("commit", "COMMIT")
        return connection
      }
      return try Saves.run(
        place.rows, connections: count, checksum: { try Saves.checksum(names, table: "reading") }
      ) { thread, numbers in
        let connection = connections[thread]
        connection.begin()
        for number in numbers {
          var row = RawParameters()
          row.append(Int64(number * count + thread))
          row.append(Double(number))
          row.append("reading \(number)")
          try connection.send("begin")
          try connection.send("insert", row)
          if isRecorded {
            var record = RawParameters()
            record.append(Int64(70))
            record.append(Double(number))
            record.append(data: Array(repeating: 7, count: 12))
            try connection.send("record", record)
          }
          try connection.send("commit")
          try connection.sync()
          for _ in 0..<(isRecorded ? 5 : 4) { _ = try connection.next() }
        }
        connection.end()
      }
    }
  }
}
