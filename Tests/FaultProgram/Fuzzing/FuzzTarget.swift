import Foundation

/// Something that takes bytes from outside: whatever they are, it answers or throws.
protocol FuzzTarget {
  static var name: String { get }
  /// Why it can't run here; nil when it can.
  static var obstacle: String? { get }
  init() throws
  /// Inputs that are right, to be changed.
  var samples: [[UInt8]] { get }
  /// Words of its language.
  var words: [String] { get }
  /// Takes an input. Errors are what most inputs deserve.
  ///
  /// - Returns: Whether it was taken for right.
  func take(_ input: [UInt8]) -> Bool
}

extension FuzzTarget {
  static var obstacle: String? { nil }

  /// Whether a body succeeds.
  func succeeds(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      // A description is a part of the answer: it may trap as well.
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

/// A target that traps on purpose: the harness has to see it.
struct ControlTarget: FuzzTarget {
  static let name = "control"
  let samples = [Array("right".utf8)]
  let words: [String] = []

  func take(_ input: [UInt8]) -> Bool {
    guard !input.contains(0xFF) else { fatalError("on purpose") }
    return true
  }
}
