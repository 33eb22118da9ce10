import BenchmarkSupport
import CSQLiteDirect
import Foundation

/// The C interface as handwritten code uses it: statements prepared once, static binding, columns by position. With
/// levers, also the options that make it faster: a larger page cache, the file mapped into memory, one read
/// transaction, no writes of equal rows.
struct RawTrials {
  let hasLevers: Bool

  private func open(_ place: Place) throws -> RawDatabase {
    try RawDatabase(place.file, hasLevers: hasLevers)
  }

  /// W1, W3: rows into an empty store.
  var insertion: Trial {
    Trial(nil) { place in
      let rows = Array(QuakeRows(place.rows))
      let database = try open(place)
      try database.execute(RawQuakes.schema)
      let sql =
        hasLevers
        ? RawQuakes.insertion.replacingOccurrences(
          of: "INSERT INTO", with: "INSERT OR ROLLBACK INTO")
        : RawQuakes.insertion
      return Run(
        work: { try RawQuakes.insert(rows, into: database, sql) },
        checksum: { try RawQuakes.checksum(place.file) })
    }
  }

  /// W2: the same rows again, a tenth of them changed.
  var upsert: Trial {
    Trial("quakes-raw") { place in
      let rows = Array(QuakeRows(place.rows, revisedOneIn: 10))
      let database = try open(place)
      let sql = hasLevers ? RawQuakes.upsertOfChanged : RawQuakes.upsert
      return Run(
        work: { try RawQuakes.insert(rows, into: database, sql) },
        checksum: { try RawQuakes.checksum(place.file) })
    }
  }

  /// W5: all rows as structures.
  var structures: Trial {
    Trial("quakes-raw") { place in
      let database = try open(place)
      let statement = try database.prepare(RawQuakes.selection)
      return Run(reading: {
        var quakes: [QuakeRow] = []
        while try statement.step() { quakes.append(RawQuakes.row(statement)) }
        var sum = Checksum()
        for quake in quakes { sum.add(quake) }
        return sum
      })
    }
  }

  /// W4: all rows as objects.
  var objects: Trial {
    Trial("quakes-raw") { place in
      let database = try open(place)
      let statement = try database.prepare(RawQuakes.selection)
      return Run(reading: {
        var quakes: [PlainQuake] = []
        while try statement.step() { quakes.append(PlainQuake(statement)) }
        var sum = Checksum()
        for quake in quakes { sum.add(quake.row) }
        return sum
      })
    }
  }

  /// W6: lookups by the unique key, in random order.
  var lookups: Trial {
    Trial("quakes-raw") { place in
      let codes = Lookups.codes(place)
      let database = try open(place)
      let statement = try database.prepare(RawQuakes.selection + " WHERE code = ?1")
      return Run(reading: {
        var sum = Checksum()
        if hasLevers { try database.execute("BEGIN") }
        for code in codes {
          try statement.withText(code, at: 1) {
            if try statement.step() { sum.add(PlainQuake(statement).row) }
          }
          statement.reset()
        }
        if hasLevers { try database.execute("COMMIT") }
        return sum
      })
    }
  }

  /// W7: the hundred rows that follow a time, a thousand times.
  var ranges: Trial {
    Trial("quakes-raw") { place in
      let times = Lookups.times(place.rows)
      let database = try open(place)
      let statement = try database.prepare(
        RawQuakes.selection + " WHERE time >= ?1 ORDER BY time LIMIT 100")
      return Run(reading: {
        var sum = Checksum()
        for time in times {
          statement.bind(time, at: 1)
          var page: [PlainQuake] = []
          page.reserveCapacity(100)
          while try statement.step() { page.append(PlainQuake(statement)) }
          statement.reset()
          for quake in page { sum.add(quake.row) }
        }
        return sum
      })
    }
  }

  /// W8: updates two columns of the first rows.
  var edits: Trial {
    Trial("quakes-raw") { place in
      let database = try open(place)
      let statement = try database.prepare(
        "UPDATE quake SET magnitude = ?1, updated = ?2 WHERE id = ?3")
      var quakes: [PlainQuake] = []
      let selection = try database.prepare(
        RawQuakes.selection + " LIMIT \(Lookups.edits(place.rows))")
      while try selection.step() { quakes.append(PlainQuake(selection)) }
      selection.reset()
      return Run(
        work: {
          for quake in quakes {
            quake.row.magnitude = (quake.row.magnitude ?? 0) + 1
            quake.row.updated += 60
          }
          try database.execute("BEGIN IMMEDIATE")
          for quake in quakes {
            statement.bind(quake.row.magnitude, at: 1)
            statement.bind(quake.row.updated, at: 2)
            statement.bind(quake.id, at: 3)
            _ = try statement.step()
            statement.reset()
          }
          try database.execute("COMMIT")
        }, checksum: { try RawQuakes.checksum(place.file) })
    }
  }

  /// W11: counts and sums.
  var aggregates: Trial {
    Trial("quakes-raw") { place in
      let database = try open(place)
      let count = try database.prepare("SELECT count(*) FROM quake WHERE magnitude > ?1")
      let total = try database.prepare("SELECT sum(sig) FROM quake WHERE magnitude > ?1")
      let groups = try database.prepare("SELECT type, count(*), max(sig) FROM quake GROUP BY type")
      return Run(reading: {
        var sum = Checksum()
        for step in 0..<10 {
          for statement in [count, total] {
            statement.bind(Double(step) / 2, at: 1)
            _ = try statement.step()
            sum.add(statement.int(0))
            statement.reset()
          }
        }
        while try groups.step() {
          sum.add(groups.text(0))
          sum.add(groups.int(1))
          sum.add(groups.int(2))
        }
        groups.reset()
        return sum
      })
    }
  }

  /// W14: opening a store and reading the first page.
  var opening: Trial {
    Trial("quakes-raw") { place in
      Run(reading: {
        let database = try open(place)
        let statement = try database.prepare(RawQuakes.selection + " ORDER BY time DESC LIMIT 100")
        var sum = Checksum()
        while try statement.step() { sum.add(PlainQuake(statement).row) }
        return sum
      })
    }
  }
}
