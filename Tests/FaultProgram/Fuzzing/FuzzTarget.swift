import Foundation

/// A function that accepts bytes from outside; for any bytes, it must return or throw.
protocol FuzzTarget {
  static var name: String { get }
  /// The reason why the target can't run here; nil when it can.
  static var obstacle: String? { get }
  init() throws
  /// Valid inputs, to be changed.
  var samples: [[UInt8]] { get }
  /// Words of the input's language.
  var words: [String] { get }
  /// Processes an input. For most inputs an error is the correct result.
  ///
  /// - Returns: Whether the input was accepted as valid.
  func take(_ input: [UInt8]) -> Bool
}

extension FuzzTarget {
  static var obstacle: String? { nil }

  /// Returns whether a body succeeds.
  func succeeds(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      // The description belongs to the error; creating it could trap as well.
      return "\(error)".isEmpty
    }
  }
}

enum FuzzTargets {
  static var all: [any FuzzTarget.Type] {
    [
      FeedTarget.self, QueryTarget.self, SyncPageTarget.self, HistoryTokenTarget.self,
      StoreFileTarget.self, AppleStoreTarget.self,
    ]
  }

  static func named(_ name: String) throws -> any FuzzTarget.Type {
    if name == ControlTarget.name { return ControlTarget.self }
    guard let found = all.first(where: { $0.name == name }) else {
      throw Finding(
        "there is no target \(name); there are " + all.map { $0.name }.joined(separator: ", "))
    }
    return found
  }
}

/// A target that traps deliberately: the harness has to detect it.
struct ControlTarget: FuzzTarget {
  static let name = "control"
  let samples = [Array("right".utf8)]
  let words: [String] = []

  func take(_ input: [UInt8]) -> Bool {
    guard !input.contains(0xFF) else { fatalError("on purpose") }
    return true
  }
}
