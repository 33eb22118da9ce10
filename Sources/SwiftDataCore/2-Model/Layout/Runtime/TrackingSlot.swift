import CSwiftRuntime
import Observation

/// The location at which Observation's library stores, for each thread, what `withObservationTracking` collects: a
/// pointer that is nil while this thread tracks nothing. Loading it costs a tenth of reporting a read to Observation.
///
/// The library doesn't export the variable's name. The variable is found once, as the only one of the library's
/// thread-local variables that is set in `withObservationTracking` and nowhere else. When there isn't exactly one,
/// which is possible with another version or platform, none is found and ``ObservationProbe`` is used instead.
@usableFromInline
enum TrackingSlot {
  typealias Slot = UnsafePointer<UnsafeMutableRawPointer?>

  /// The position of the variable, which is the same on each thread.
  struct Variable: Equatable {
    let library: Int
    let word: Int
  }

  /// Whether the location is known, and nothing is tracked on this thread.
  @inlinable
  @inline(__always)
  static var isKnownEmpty: Bool {
    #if OSD_PLAIN_TRACKING
      false
    #else
      swift_data_tracks_nothing()
    #endif
  }

  /// The location on this thread, once it has been looked up.
  @inline(__always)
  static var known: Slot? { swift_data_get_tracking_slot() }

  /// The location on this thread; nil when it can't be found, and in a plain build.
  static var current: Slot? {
    #if OSD_PLAIN_TRACKING
      return nil
    #else
      return known ?? lookUp()
    #endif
  }

  private static func lookUp() -> Slot? {
    guard let variable else { return nil }
    let slot = slot(of: variable)
    swift_data_set_tracking_slot(slot)
    return slot
  }

  private static func slot(of variable: Variable) -> Slot? {
    // The library has no variables on a thread until it first uses one there.
    reportRead()
    var storage = swift_data_thread_storage()
    guard swift_data_find_thread_storage(nil, variable.library, &storage),
      variable.word < storage.count
    else { return nil }
    return storage.words?.advanced(by: variable.word)
  }

  static let variable = findVariable()

  static func findVariable() -> Variable? {
    reportRead()
    var storage = swift_data_thread_storage()
    // Module 1 is the program itself; it has the library's variables when the library is linked into it.
    guard
      swift_data_find_thread_storage("swiftObservation", 0, &storage)
        || swift_data_find_thread_storage(nil, 1, &storage),
      let words = storage.words, storage.count <= 4_096
    else { return nil }
    func read() -> [UnsafeMutableRawPointer?] { (0..<storage.count).map { words[$0] } }
    // Two levels, because the outer pointer must be back after the inner call; tracking may already be active.
    let before = read()
    let (outer, inner, again) = tracking { (read(), tracking(read), read()) }
    let after = read()
    let found = before.indices.filter { word in
      outer[word] != nil && outer[word] != before[word] && inner[word] != nil
        && inner[word] != outer[word] && again[word] == outer[word] && after[word] == before[word]
    }
    guard found.count == 1, let word = found.first else { return nil }
    return Variable(library: storage.library, word: word)
  }

  private static func tracking<Result>(_ body: () -> Result) -> Result {
    withObservationTracking(body) {}
  }

  private final class Subject: Observable {
    var value: Int { 0 }
  }

  private static func reportRead() {
    // Uses a subject and a registrar of its own, so that no other observer is affected.
    tracking { ObservationRegistrar().access(Subject(), keyPath: \.value) }
  }
}
