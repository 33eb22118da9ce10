/// Reads JSON (RFC 8259) that is in memory, value by value and in one pass, without building a tree.
///
/// Every byte is validated, also those of values that are skipped: the text is UTF-8 without a byte order mark, nothing
/// follows the document's one value, and numbers, escapes and literals have the RFC's form. Names that occur several
/// times in an object are all returned.
///
/// ```swift
/// let names = try JSONReader.read(bytes) { reader in
///   var names: [String] = []
///   try reader.object { reader, member in
///     guard member == "names" else { return try reader.skipValue() }
///     try reader.array { reader in names.append(try reader.string()) }
///   }
///   return names
/// }
/// ```
public struct JSONReader: ~Copyable {
  /// The value of a number.
  public enum Number: Hashable, Sendable {
    /// A number without a fraction and an exponent that fits.
    case integer(Int64)
    /// Any other number: the nearest double.
    case real(Double)
  }

  /// The kind of a value.
  public enum Kind: Hashable, Sendable {
    /// A kind of value.
    case object, array, string, number, boolean, null
  }

  private var cursor: JSONCursor
  private let start: UnsafePointer<UInt8>
  private let maximumDepth: Int

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ maximumDepth: Int) {
    cursor = JSONCursor(bytes, depth: maximumDepth)
    start = cursor.position
    self.maximumDepth = maximumDepth
  }

  /// Reads a document.
  /// - Parameters:
  ///   - document: the bytes of the document.
  ///   - maximumDepth: the number of arrays and objects that may be open at the same time, 1 to 64.
  ///   - body: reads the document's value, exactly one.
  /// - Returns: the result of `body`.
  /// - Throws: ``JSONError`` when the bytes are no JSON or have another value than `body` asks for; the error of
  ///   `body`.
  public static func read<Result>(
    _ document: some Sequence<UInt8>, maximumDepth: Int = 64,
    _ body: (inout JSONReader) throws -> Result
  ) throws -> Result {
    let depth = min(max(1, maximumDepth), JSONCursor.deepest)
    func read(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Result {
      var reader = JSONReader(bytes, depth)
      let result = try body(&reader)
      reader.cursor.skipBlanks()
      guard reader.cursor.position == reader.cursor.end else {
        throw reader.error(.endOfDocument)
      }
      return result
    }
    if let result = try document.withContiguousStorageIfAvailable(read) { return result }
    return try Array(document).withUnsafeBufferPointer(read)
  }

  private func error(_ reason: JSONError.Reason) -> JSONError {
    JSONError(offset: cursor.position - start, reason, maximumDepth: maximumDepth)
  }

  /// Runs a reading of the next value, and adds the place to its error.
  private mutating func reading<Result>(
    _ body: (inout JSONCursor) throws(JSONError.Reason) -> Result
  ) throws(JSONError) -> Result {
    cursor.skipBlanks()
    do { return try body(&cursor) } catch { throw self.error(error) }
  }

  /// Returns the kind of the next value, which stays the next one.
  /// - Throws: ``JSONError`` when no value follows.
  public mutating func kind() throws(JSONError) -> Kind {
    try reading { cursor throws(JSONError.Reason) in
      switch try cursor.byte() {
      case UInt8(ascii: "{"): .object
      case UInt8(ascii: "["): .array
      case UInt8(ascii: "\""): .string
      case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
      case UInt8(ascii: "n"): .null
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
      default: throw .value
      }
    }
  }

  /// Reads `null` if it is the next value.
  /// - Returns: whether it was.
  /// - Throws: ``JSONError`` when no value follows.
  public mutating func null() throws(JSONError) -> Bool {
    try reading { cursor throws(JSONError.Reason) in try cursor.takeNull() }
  }

  /// Reads a Boolean.
  /// - Throws: ``JSONError`` for any other value.
  public mutating func boolean() throws(JSONError) -> Bool {
    try reading { cursor throws(JSONError.Reason) in try cursor.bool() }
  }

  /// Reads a string.
  /// - Throws: ``JSONError`` for any other value, and for a string with an escaped surrogate without its partner (RFC
  ///   8259 section 8.2).
  public mutating func string() throws(JSONError) -> String {
    try reading { cursor throws(JSONError.Reason) in try cursor.string() }
  }

  /// Reads a number.
  /// - Throws: ``JSONError`` for any other value, and for a number beyond the range of doubles.
  public mutating func number() throws(JSONError) -> Number {
    try reading { cursor throws(JSONError.Reason) in try cursor.number() }
  }

  /// Moves past the next value, of any kind, which is validated.
  /// - Throws: ``JSONError`` when it is no JSON.
  public mutating func skipValue() throws(JSONError) {
    try reading { cursor throws(JSONError.Reason) in try cursor.skipValue() }
  }

  /// Reads an object.
  /// - Parameter member: reads or skips the value of a member, exactly one; called with its name, in the order of the
  ///   document.
  /// - Throws: ``JSONError`` for any other value; the error of `member`.
  public mutating func object(
    _ member: (inout JSONReader, _ name: String) throws -> Void
  ) throws {
    try reading { cursor throws(JSONError.Reason) in
      try cursor.open(UInt8(ascii: "{"), else: .object)
    }
    if !isAt(UInt8(ascii: "}")) {
      repeat {
        let name = try reading { cursor throws(JSONError.Reason) in
          guard cursor.position < cursor.end, cursor.position.pointee == UInt8(ascii: "\"") else {
            throw .memberName
          }
          let name = try cursor.string()
          guard cursor.takeNext(UInt8(ascii: ":")) else { throw .colon }
          return name
        }
        try member(&self, name)
      } while cursor.takeNext(UInt8(ascii: ","))
    }
    guard isAt(UInt8(ascii: "}")) else { throw error(.endOfObject) }
    cursor.close()
  }

  /// Reads an array.
  /// - Parameter element: reads or skips an element, exactly one; called for each, in the order of the document.
  /// - Throws: ``JSONError`` for any other value; the error of `element`.
  public mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
    try reading { cursor throws(JSONError.Reason) in
      try cursor.open(UInt8(ascii: "["), else: .array)
    }
    if !isAt(UInt8(ascii: "]")) {
      repeat { try element(&self) } while cursor.takeNext(UInt8(ascii: ","))
    }
    guard isAt(UInt8(ascii: "]")) else { throw error(.endOfArray) }
    cursor.close()
  }

  /// Whether a byte is the next one that isn't white space.
  private func isAt(_ byte: UInt8) -> Bool {
    cursor.position < cursor.end && cursor.position.pointee == byte
  }
}
