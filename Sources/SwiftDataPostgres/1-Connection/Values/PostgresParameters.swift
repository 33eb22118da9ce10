import SwiftDataCore

/// A value of a statement's parameter.
package enum PostgresValue: Sendable {
  /// A value as cells hold it, in the form of the type that the server infers for the parameter.
  case value(ColumnValue)
  case list(PostgresList)
  /// The only value of a list, as a value.
  case single(PostgresList)

  package static func integers(_ integers: some Sequence<Int64>) -> PostgresValue {
    .list(PostgresList(integers))
  }
}

/// The values of one execution of a statement as libpq takes them.
struct PostgresParameters {
  private struct Place {
    /// The position of the first byte; nil for NULL.
    let start: Int?
    let length: Int32
    let isBinary: Bool
  }

  /// All values behind a byte that nothing uses, so that an empty value has an address, too.
  private var bytes: [UInt8] = [0]
  private var places: [Place] = []
  private let types: [PostgresType]
  private let maximumLength: Int

  /// The number of bytes with which a message to the server, which has less than 1 GiB, has room for all else. The
  /// server ends connections that send more.
  static let maximumLength = 1 << 30 - 1 << 20

  private static var noBytes: UnsafeRawBufferPointer { .init(start: nil, count: 0) }

  /// - Parameters:
  ///   - types: The types of the parameters.
  ///   - maximumLength: The maximum number of bytes of all values.
  init(
    _ values: [PostgresValue], types: [PostgresType], maximumLength: Int = Self.maximumLength
  ) throws(PostgresValueProblem) {
    guard values.count == types.count else { throw .mismatch }
    self.types = types
    self.maximumLength = maximumLength
    guard !values.isEmpty else { return }
    places.reserveCapacity(values.count)
    // Enough for numbers and short texts.
    bytes.reserveCapacity(1 + values.count * 32)
    for (value, type) in zip(values, types) {
      switch value {
      case .list(let list):
        let start = bytes.count
        list.append(to: &bytes)
        try add(start: start, isBinary: true)
      case .single(let list):
        let start = bytes.count
        try add(start: list.appendFirst(to: &bytes) ? start : nil, isBinary: true)
      case .value(let value): try append(value, type)
      }
    }
  }

  private mutating func append(
    _ value: ColumnValue, _ type: PostgresType
  ) throws(PostgresValueProblem) {
    let start = bytes.count
    switch value {
    case .null: return try add(start: nil, isBinary: true)
    case .integer(let integer):
      try append(_Cell(kind: .integer, bits: integer), Self.noBytes, type)
    case .real(let real):
      try append(
        _Cell(kind: .real, bits: Int64(bitPattern: real.bitPattern)), Self.noBytes, type)
    case .text(let text):
      guard type.hasTextForm else {
        try append(text, as: .text)
        return try add(start: start, isBinary: false)
      }
      try append(text, as: type)
    case .blob(let data):
      let problem = data.withUnsafeBytes { buffer -> PostgresValueProblem? in
        do throws(PostgresValueProblem) {
          try append(_Cell(kind: .blob, count: buffer.count), buffer, type)
          return nil
        } catch { return error }
      }
      if let problem { throw problem }
    }
    try add(start: start, isBinary: true)
  }

  private mutating func append(
    _ text: String, as type: PostgresType
  ) throws(PostgresValueProblem) {
    var text = text
    let problem = text.withUTF8 { buffer -> PostgresValueProblem? in
      do throws(PostgresValueProblem) {
        let bytes = UnsafeRawBufferPointer(buffer)
        try append(_Cell(kind: .text, count: bytes.count), bytes, type)
        return nil
      } catch { return error }
    }
    if let problem { throw problem }
  }

  /// Appends a value without a length before it.
  private mutating func append(
    _ cell: _Cell, _ buffer: UnsafeRawBufferPointer, _ type: PostgresType
  ) throws(PostgresValueProblem) {
    if cell.kind != .null {
      try PostgresEncoding.appendValue(cell, buffer, as: type, to: &bytes)
    }
  }

  /// - Throws: ``PostgresValueProblem/tooLong`` when the values so far are too long for the server, or for libpq.
  private mutating func add(start: Int?, isBinary: Bool) throws(PostgresValueProblem) {
    guard bytes.count - 1 <= maximumLength,
      let length = Int32(exactly: start.map { bytes.count - $0 } ?? 0)
    else { throw .tooLong }
    places.append(Place(start: start, length: length, isBinary: isBinary))
    // libpq takes values in the text format as C strings.
    if !isBinary { bytes.append(0) }
  }

  /// Calls `body` with the arguments of libpq's functions: the number, types, addresses, lengths and formats.
  func withArguments<Result>(
    _ body: (
      Int32, UnsafePointer<UInt32>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
      UnsafePointer<Int32>?
    ) throws -> Result
  ) rethrows -> Result {
    let count = places.count
    guard count > 0 else { return try body(0, nil, nil, nil, nil) }
    return try bytes.withUnsafeBytes { buffer in
      let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      return try withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) {
        addresses in
        // The types, lengths and formats, one behind the other.
        try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * count) { numbers in
          for (number, place) in places.enumerated() {
            addresses.initializeElement(
              at: number, to: place.start.flatMap { start in base.map { $0 + start } })
            numbers.initializeElement(at: number, to: types[number].number)
            numbers.initializeElement(
              at: count + number, to: UInt32(bitPattern: place.length))
            numbers.initializeElement(at: 2 * count + number, to: place.isBinary ? 1 : 0)
          }
          return try numbers.withMemoryRebound(to: Int32.self) { signed in
            try body(
              Int32(count), numbers.baseAddress, addresses.baseAddress,
              signed.baseAddress.map { $0 + count }, signed.baseAddress.map { $0 + 2 * count })
          }
        }
      }
    }
  }
}

extension PostgresValue {
  /// Whether the value has a form of a type.
  package func hasForm(of type: PostgresType) -> Bool {
    switch self {
    case .list(let list): return list.element.list == type
    case .single(let list): return list.element == type
    // The most frequent ones.
    case .value(.null): return true
    case .value(.integer) where type == .integer: return true
    case .value(.real) where type == .real: return true
    case .value(.text(let text)) where type == .text: return !text.utf8.contains(0)
    case .value(.text(let text)) where type.element != nil:
      return type.element?.hasForms(ofList: text) ?? false
    case .value(.text) where [.boolean, .integer, .integer16, .integer32, .uuid].contains(type):
      return false
    case .value:
      do throws(PostgresValueProblem) {
        _ = try PostgresParameters([self], types: [type])
        return true
      } catch { return false }
    }
  }
}

extension [PostgresValue] {
  /// Whether each value has a form of its type.
  package func haveForms(of types: [PostgresType]) -> Bool {
    count == types.count && zip(self, types).allSatisfy { $0.hasForm(of: $1) }
  }
}

extension PostgresType {
  /// Whether a list in its text form has values of the type.
  fileprivate func hasForms(ofList text: String) -> Bool {
    if self == .text || self == .variableText { return !text.utf8.contains(0) }
    return text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
      .allSatisfy { value in
        switch self {
        case .integer: Int64(value) != nil
        case .integer32: Int32(value) != nil
        case .integer16: Int16(value) != nil
        case .real, .real32: Double(value) != nil
        // Decimal numbers are captured as texts, whose quotes the server ignores.
        case .numeric: Double(Self.unquoted(value)) != nil
        case .boolean: value == "0" || value == "1"
        default: false
        }
      }
  }

  private static func unquoted(_ value: Substring) -> Substring {
    guard value.count > 1, value.first == "\"", value.last == "\"" else { return value }
    return value.dropFirst().dropLast()
  }

  /// Whether a text has a binary form of the type; any other takes it in the type's text form, as in SQL.
  fileprivate var hasTextForm: Bool {
    switch self {
    case .text, .variableText, .data, .numeric, .real, .real32: true
    default: false
    }
  }
}
