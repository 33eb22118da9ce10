import WireFormats

/// Builds values from JSON (RFC 8259) of external sources: strictly, with a depth limit, and with exact integers.
package struct SyncJSON {
  private static let maximumDepth = 64
  var cursor: JSONCursor
  /// The number of members of the last object.
  private var lastCount = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    cursor = JSONCursor(bytes, depth: Self.maximumDepth)
  }

  /// - Throws: `JSONError`.
  package static func parse(_ document: some Sequence<UInt8>) throws -> SyncValue {
    try parse(document) { try $0.value(depth: 0) }
  }

  /// Parses a document with `read`, which throws the reason of an error at the cursor.
  ///
  /// - Throws: `JSONError`; the other errors of `read`.
  static func parse<Result>(
    _ document: some Sequence<UInt8>, _ read: (inout SyncJSON) throws -> Result
  ) throws -> Result {
    func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Result {
      var parser = SyncJSON(bytes)
      let start = parser.cursor.position
      do {
        let value = try read(&parser)
        parser.cursor.skipBlanks()
        guard parser.cursor.position == parser.cursor.end else {
          throw JSONError.Reason.endOfDocument
        }
        return value
      } catch let reason as JSONError.Reason {
        throw JSONError(
          offset: parser.cursor.position - start, reason, maximumDepth: Self.maximumDepth)
      }
    }
    if let value = try document.withContiguousStorageIfAvailable(parse) { return value }
    return try Array(document).withUnsafeBufferPointer(parse)
  }

  mutating func value(depth: Int) throws(JSONError.Reason) -> SyncValue {
    guard depth < Self.maximumDepth else { throw .depth }
    cursor.skipBlanks()
    switch try cursor.byte() {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .list(try list(depth: depth + 1))
    case UInt8(ascii: "\""): return .text(try cursor.string())
    case UInt8(ascii: "t"):
      try cursor.take(literal: "true", else: .true)
      return .boolean(true)
    case UInt8(ascii: "f"):
      try cursor.take(literal: "false", else: .false)
      return .boolean(false)
    case UInt8(ascii: "n"):
      try cursor.take(literal: "null", else: .null)
      return .null
    default:
      switch try cursor.number() {
      case .integer(let integer): return .integer(integer)
      case .real(let real): return .real(real)
      }
    }
  }

  /// Reads the name of the next member, and the colon behind it.
  mutating func name() throws(JSONError.Reason) -> String {
    cursor.skipBlanks()
    guard cursor.position < cursor.end, cursor.position.pointee == UInt8(ascii: "\"") else {
      throw .memberName
    }
    let name = try cursor.string()
    guard cursor.takeNext(UInt8(ascii: ":")) else { throw .colon }
    return name
  }

  private mutating func object(depth: Int) throws(JSONError.Reason) -> [String: SyncValue] {
    cursor.position += 1
    if cursor.takeNext(UInt8(ascii: "}")) { return [:] }
    var members: [String: SyncValue] = [:]
    // Neighboring objects usually have the same members.
    members.reserveCapacity(max(6, lastCount))
    defer { lastCount = min(members.count, 64) }
    repeat {
      let name = try name()
      let value = try value(depth: depth)
      guard members.updateValue(value, forKey: name) == nil else { throw .uniqueName }
    } while cursor.takeNext(UInt8(ascii: ","))
    guard cursor.takeNext(UInt8(ascii: "}")) else { throw .endOfObject }
    return members
  }

  private mutating func list(depth: Int) throws(JSONError.Reason) -> [SyncValue] {
    cursor.position += 1
    var elements: [SyncValue] = []
    if cursor.takeNext(UInt8(ascii: "]")) { return elements }
    repeat { elements.append(try value(depth: depth)) } while cursor.takeNext(UInt8(ascii: ","))
    guard cursor.takeNext(UInt8(ascii: "]")) else { throw .endOfArray }
    return elements
  }
}
