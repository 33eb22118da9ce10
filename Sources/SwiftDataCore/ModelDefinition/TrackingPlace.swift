import CSwiftRuntime
import Observation

/// Where Observation's library keeps, for each thread, what `withObservationTracking` collects: a pointer that is nil
/// while this thread tracks nothing. To load it costs a tenth of what it costs to tell Observation of a read.
///
/// The library doesn't name the variable. It is found once, as the one among the library's variables of this thread that
/// is set in `withObservationTracking` and only there. Where there isn't exactly one, as perhaps with another version
/// or platform, nothing is found and ``ObservationProbe`` answers.
enum TrackingPlace {
  typealias Place = UnsafePointer<UnsafeMutableRawPointer?>

  /// Which variable it is: the same on each thread.
  struct Variable: Equatable {
    let library: Int
    let word: Int
  }

  /// The pointer of this thread, once that has asked for it.
  @inline(__always)
  static var known: Place? { swift_data_get_tracking_place() }

  /// The pointer of this thread; nil where it can't be found.
  static var current: Place? {
    if let known { return known }
    guard let variable else { return nil }
    let place = place(of: variable)
    swift_data_set_tracking_place(place)
    return place
  }

  private static func place(of variable: Variable) -> Place? {
    // The library has no variables on a thread before it has used one there.
    tellOfRead()
    var storage = swift_data_thread_storage()
    guard swift_data_find_thread_storage(nil, variable.library, &storage),
      variable.word < storage.count
    else { return nil }
    return storage.words?.advanced(by: variable.word)
  }

  static let variable = learn()

  static func learn() -> Variable? {
    tellOfRead()
    var storage = swift_data_thread_storage()
    // The program itself has number 1, and the library's variables when that is linked into it.
    guard
      swift_data_find_thread_storage("swiftObservation", 0, &storage)
        || swift_data_find_thread_storage(nil, 1, &storage),
      let words = storage.words, storage.count <= 4_096
    else { return nil }
    func read() -> [UnsafeMutableRawPointer?] { (0..<storage.count).map { words[$0] } }
    // Two levels, because the outer one's pointer has to come back after the inner one; somebody may track already.
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

  private static func tellOfRead() {
    // Of nobody's concern but this one's.
    tracking { ObservationRegistrar().access(Subject(), keyPath: \.value) }
  }
}
