import ArgumentParser

/// The number and the kinds of a server's faults on purpose: `30`, or `30:500,slow` for some kinds.
struct FaultPlan: Hashable, Sendable {
  /// The number of faults in each hundred requests, from 0 to 100.
  var percentage: Int
  /// The kinds of faults, which follow each other.
  var kinds = ServerFaults.Kind.allCases

  init(percentage: Int, kinds: [ServerFaults.Kind] = ServerFaults.Kind.allCases) {
    self.percentage = percentage
    self.kinds = kinds
  }

  /// Reads a plan as it is typed.
  /// - Throws: `ValidationError` that names what is possible.
  init(text: String) throws {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let number = parts.first, let percentage = Int(number), (0...100).contains(percentage),
      number.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw ValidationError(
        "--faults takes a percentage from 0 to 100, and kinds after a colon: 30, or 30:500,slow.")
    }
    self.percentage = percentage
    if parts.count == 1 { return }
    let kinds = parts[1].split(separator: ",", omittingEmptySubsequences: false)
      .map { ServerFaults.Kind(rawValue: String($0)) }
    guard parts.count == 2, Set(kinds).count == kinds.count, kinds.allSatisfy({ $0 != nil }) else {
      let names = ServerFaults.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("The kinds of --faults are \(names); each is given once.")
    }
    self.kinds = kinds.compactMap { $0 }
  }
}
