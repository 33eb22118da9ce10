import BenchmarkSupport

/// The workloads of a store on a PostgreSQL server, each by libpq and by this library. The address of the database is
/// in `OPENSWIFTDATA_BENCH_POSTGRES`; `scripts/bench --postgres` starts a server for it.
@main
enum PostgresBench {
  static func main() async {
    let part: @Sendable (Int) -> Int = { max(1, $0 / 10) }
    await Program(
      trials: [
        "P1": [("floor", RawTrials.insertion()), ("openswiftdata", PostgresTrials.batchInsert)],
        "P2": [("floor", RawTrials.upsert), ("openswiftdata", PostgresTrials.batchUpsert)],
        "P3": [
          ("floor", RawTrials.insertion(part)),
          ("openswiftdata", PostgresTrials.insertAndSave(part)),
        ],
        "P4": [
          ("floor", RawTrials.structures), ("openswiftdata", PostgresTrials.snapshots),
          ("openswiftdata-models", PostgresTrials.models),
        ],
        "P5": [("floor", RawTrials.lookups), ("openswiftdata", PostgresTrials.lookups)],
        "P6": [
          ("floor", RawTrials.pipelinedLookups), ("openswiftdata", PostgresTrials.listedLookups),
        ],
        "P7": [
          ("floor", RawTrials.saves(connections: 1)),
          ("openswiftdata", PostgresTrials.saves(connections: 1)),
        ],
        "P7-8": [
          ("floor", RawTrials.saves(connections: 8)),
          ("openswiftdata", PostgresTrials.saves(connections: 8)),
        ],
        "P7-32": [
          ("floor", RawTrials.saves(connections: 32)),
          ("openswiftdata", PostgresTrials.saves(connections: 32)),
        ],
        "P7-128": [
          ("floor", RawTrials.saves(connections: 128)),
          ("openswiftdata", PostgresTrials.saves(connections: 128)),
        ],
        "P8": [
          ("floor", RawTrials.saves(connections: 32, stores: 32, isRecorded: false)),
          ("openswiftdata", PostgresTrials.saves(connections: 32, stores: 32)),
        ],
      ], datasets: [:]
    ).main()
  }
}
