import WireFormats

extension SyncValue {
  /// The value as JSON; the members of objects are sorted by name, so that equal values produce equal texts.
  package var json: [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return bytes
  }

  package func write(into bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .boolean(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
    case .real(let real):
      // JSON has no non-finite numbers; the store also writes NaN as text.
      if real.isFinite {
        bytes.append(contentsOf: real.description.utf8)
      } else {
        bytes.appendJSON(real.isNaN ? "NaN" : real < 0 ? "-inf" : "inf")
      }
    case .text(let text): bytes.appendJSON(text)
    case .list(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendJSON(member.key)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Whether the value has at most a number of levels; a text or a number is one, too.
  func hasLevels(atMost count: Int) -> Bool {
    guard count > 0 else { return false }
    return switch self {
    case .list(let elements): elements.allSatisfy { $0.hasLevels(atMost: count - 1) }
    case .object(let members): members.values.allSatisfy { $0.hasLevels(atMost: count - 1) }
    case .null, .boolean, .integer, .real, .text: true
    }
  }
}
