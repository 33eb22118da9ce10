import Observation
import Testing

@testable import SwiftDataCore

@Suite("The slot in which Observation keeps a thread's tracking")
struct TrackingSlotTests {
  private static var isTracking: Bool? {
    TrackingSlot.current.map { $0.pointee != nil }
  }

  #if os(Linux) && !OSD_PLAIN_TRACKING
    @Test("it is found with the library that we are tested with")
    func isFound() {
      #expect(TrackingSlot.variable != nil)
      #expect(TrackingSlot.findVariable() == TrackingSlot.variable)
    }

    @Test("it is set while this thread tracks, and only then")
    func follows() {
      #expect(Self.isTracking == false)
      let inside = withObservationTracking {
        let outer = Self.isTracking
        let inner = withObservationTracking({ Self.isTracking }, onChange: {})
        return [outer, inner, Self.isTracking]
      } onChange: {
      }
      #expect(inside == [true, true, true])
      #expect(Self.isTracking == false)
    }

    @Test("it is found during tracking, too")
    func tracking() {
      let learnt = withObservationTracking({ TrackingSlot.findVariable() }, onChange: {})
      #expect(learnt != nil)
      #expect(learnt == TrackingSlot.variable)
    }
  #endif

  @Test("each thread has its own")
  func threads() async {
    let found = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          let isTracked = number.isMultiple(of: 2)
          let found =
            isTracked
            ? withObservationTracking({ Self.isTracking }, onChange: {}) : Self.isTracking
          return found == nil || found == isTracked
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(found)
  }
}
