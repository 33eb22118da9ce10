import WireFormats

/// Builds values from JSON (RFC 8259) of external sources: strictly, with a depth limit, and with exact integers.
package struct SyncJSON {
  /// The maximum number of levels of a document; a text or a number is a level, too.
  package static let maximumDepth = 64
  /// The maximum number of levels of an attribute's value, so that each document of the contract can have it: the
  /// outcome of a change has it beneath five others.
  package static let maximumValueDepth = maximumDepth - 5
  /// The maximum number of levels of a document in the bookkeeping tables, which has values of other systems' documents
  /// beneath levels of its own.
  package static let maximumBookDepth = maximumDepth + 16
  var cursor: JSONCursor
  private let maximumDepth: Int
  /// The number of members of the last object.
  private var lastCount = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ maximumDepth: Int) {
    cursor = JSONCursor(bytes, depth: maximumDepth)
    self.maximumDepth = maximumDepth
  }

  /// - Throws: `JSONError`.
  package static func parse(
    _ document: some Sequence<UInt8>, maximumDepth: Int = maximumDepth
  ) throws -> SyncValue {
    try parse(document, maximumDepth: maximumDepth) { try $0.value(depth: 0) }
  }

  /// Parses a document with `read`, which throws the reason of an error at the cursor.
  ///
  /// - Throws: `JSONError`; the other errors of `read`.
  static func parse<Result>(
    _ document: some Sequence<UInt8>, maximumDepth: Int = maximumDepth,
    _ read: (inout SyncJSON) throws -> Result
  ) throws -> Result {
    func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Result {
      var parser = SyncJSON(bytes, maximumDepth)
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
          offset: parser.cursor.position - start, reason, maximumDepth: maximumDepth)
      }
    }
    if let value = try document.withContiguousStorageIfAvailable(parse) { return value }
    return try Array(document).withUnsafeBufferPointer(parse)
  }

  mutating func value(depth: Int) throws(JSONError.Reason) -> SyncValue {
    guard depth < maximumDepth else { throw .depth }
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
