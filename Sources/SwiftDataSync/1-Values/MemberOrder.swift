/// The members of one class's objects, in writing order: the JSON text before each value is created once, and nothing
/// is sorted per object.
struct MemberOrder: Sendable {
  let names: [String]
  private let openings: [[UInt8]]

  init(_ names: some Sequence<String>) {
    self.names = names.sorted()
    openings = self.names.enumerated().map { place, name in
      var opening = Array((place == 0 ? "{" : ",").utf8)
      SyncValue.text(name).write(into: &opening)
      return opening + ":".utf8
    }
  }

  /// Appends the same text as ``SyncValue/write(into:)``.
  ///
  /// - Parameter values: One value for each name.
  func write(_ values: [SyncValue], into bytes: inout [UInt8]) {
    if names.isEmpty { bytes.append(UInt8(ascii: "{")) }
    for (opening, value) in zip(openings, values) {
      bytes += opening
      value.write(into: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Returns the values as JSON, also when their names aren't the expected ones.
  func json(_ values: SyncValues) -> [UInt8] {
    var bytes: [UInt8] = []
    guard values.count == names.count, !names.isEmpty else { return SyncValue.object(values).json }
    bytes.reserveCapacity(32 * names.count)
    for (name, opening) in zip(names, openings) {
      guard let value = values[name] else { return SyncValue.object(values).json }
      bytes += opening
      value.write(into: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}
