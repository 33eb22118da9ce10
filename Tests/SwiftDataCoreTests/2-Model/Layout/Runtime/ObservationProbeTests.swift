import Observation
import Testing

@testable import SwiftDataCore

@Suite("Detection of observers")
struct ObservationProbeTests {
  @Test("without tracking there are none")
  func nobody() {
    let probe = ObservationProbe()
    for _ in 0..<3 { #expect(!probe.isTracked()) }
    withObservationTracking {
    } onChange: {
    }
    #expect(!probe.isTracked())
  }

  @Test("a tracked read is reported, and only such a one")
  func somebody() {
    let probe = ObservationProbe()
    let found = withObservationTracking {
      (probe.isTracked(), probe.isTracked())
    } onChange: {
    }
    #expect(found == (true, true))
    #expect(!probe.isTracked())
    let again = withObservationTracking {
      probe.isTracked()
    } onChange: {
    }
    #expect(again)
  }

  @Test("another probe isn't concerned")
  func another() {
    let tracked = ObservationProbe()
    let other = ObservationProbe()
    _ = withObservationTracking {
      tracked.isTracked()
    } onChange: {
    }
    #expect(!other.isTracked())
  }

  @Test("another thread's tracking isn't ours")
  func otherThreads() async {
    let found = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          let probe = ObservationProbe()
          guard number.isMultiple(of: 2) else { return !probe.isTracked() }
          return withObservationTracking {
            probe.isTracked()
          } onChange: {
          }
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(found)
  }

  @Test("one probe answers many threads, and misses no tracked read")
  func shared() async {
    let found = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 {
        group.addTask {
          withObservationTracking {
            ObservationProbe.withoutContext.isTracked()
          } onChange: {
          }
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(found)
  }
}
