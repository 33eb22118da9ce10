import BenchmarkSupport
import SwiftDataExtras

/// The workloads of models and a store, each by several implementations. The first implementation
/// is the baseline.
@main
enum StoreBench {
  static func main() async {
    let floor = RawTrials(hasLevers: false)
    let levers = RawTrials(hasLevers: true)
    await Program(
      trials: [
        "W1": [
          ("floor", floor.insertion), ("levers", levers.insertion),
          ("openswiftdata", SwiftDataTrials.batchInsert),
          ("grdb-records", GRDBTrials.records), ("grdb-codable", GRDBTrials.codableRecords),
          ("grdb-statement", GRDBTrials.statement),
        ],
        "W2": [
          ("floor", floor.upsert), ("levers", levers.upsert),
          ("openswiftdata", SwiftDataTrials.batchUpsert),
          ("grdb-records", GRDBTrials.recordUpsert), ("grdb-statement", GRDBTrials.statementUpsert),
        ],
        "W3": [
          ("floor", floor.insertion), ("openswiftdata", SwiftDataTrials.insertAndSave),
          ("grdb-records", GRDBTrials.records), ("grdb-statement", GRDBTrials.statement),
        ],
        "W4": [
          ("floor", floor.objects), ("openswiftdata", SwiftDataTrials.fetchModels),
          ("grdb-records", GRDBTrials.fetchRecords), ("grdb-codable", GRDBTrials.fetchCodable),
        ],
        "W5": [
          ("floor", floor.structures), ("openswiftdata", SwiftDataTrials.fetchSnapshots),
          ("grdb-records", GRDBTrials.fetchRecords), ("grdb-codable", GRDBTrials.fetchCodable),
        ],
        "W6": [
          ("floor", floor.lookups), ("levers", levers.lookups),
          ("openswiftdata", SwiftDataTrials.coldLookups),
          ("openswiftdata-warm", SwiftDataTrials.warmLookups), ("grdb-records", GRDBTrials.lookups),
          ("grdb-statement", GRDBTrials.cachedLookups),
        ],
        "W7": [
          ("floor", floor.ranges), ("levers", levers.ranges),
          ("openswiftdata", SwiftDataTrials.ranges),
          ("grdb-records", GRDBTrials.ranges), ("grdb-statement", GRDBTrials.cachedRanges),
        ],
        "W8": [
          ("floor", floor.edits), ("openswiftdata", SwiftDataTrials.edits),
          ("grdb-records", GRDBTrials.edits), ("grdb-statement", GRDBTrials.cachedEdits),
        ],
        "W9": [
          ("floor", RawParents.cascade), ("openswiftdata", SwiftDataTrials.cascade),
          ("openswiftdata-batch", SwiftDataTrials.batchCascade),
        ],
        "W10": [("floor", RawParents.walk), ("openswiftdata", SwiftDataTrials.walk)],
        "W11": [("floor", floor.aggregates), ("openswiftdata", SwiftDataTrials.aggregates)],
        "W12": [("floor", LiveTrials.refetch), ("openswiftdata", LiveTrials.observer)],
        "W14": [("floor", floor.opening), ("openswiftdata", SwiftDataTrials.opening)],
        "W15": [
          ("floor", SearchTrials.like), ("openswiftdata", SearchTrials.plain),
          ("openswiftdata-spotlight", SearchTrials.indexed),
        ],
      ],
      datasets: [
        "quakes-raw": { try RawQuakes.create($0) },
        "quakes-swiftdata": { try SwiftDataTrials.create($0) },
        "stations-raw": {
          try RawParents.create($0, parents: 1_000, children: RawParents.children)
        },
        "stations-swiftdata": {
          try SwiftDataTrials.createStations($0, parents: 1_000, children: RawParents.children)
        },
        "parents-raw": {
          try RawParents.create(
            $0, parents: 2 * Lookups.edits($0.rows), children: RawParents.deletedChildren)
        },
        "parents-swiftdata": {
          try SwiftDataTrials.createStations(
            $0, parents: 2 * Lookups.edits($0.rows), children: RawParents.deletedChildren)
        },
        "places": { try SearchTrials.create($0) },
      ]
    ).main()
  }
}
