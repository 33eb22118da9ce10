import BenchmarkSupport
import Foundation
import LocalCopy
import SwiftData

/// W13: from the bytes of a feed on disk to committed rows. The workload JSON: from the bytes to
/// structures.
@main
enum FeedBench {
  static func main() async {
    await Program(
      trials: [
        "W13": [("floor", FeedTrials.decoder), ("openswiftdata", FeedTrials.copy)],
        "JSON": [
          ("floor", JSONTrials.decoder), ("openswiftdata", JSONTrials.general),
          ("openswiftdata-macro", JSONTrials.direct), ("openswiftdata-copy", JSONTrials.copied),
        ],
      ],
      datasets: ["feed": { try FeedTrials.create($0) }]
    ).main()
  }
}
