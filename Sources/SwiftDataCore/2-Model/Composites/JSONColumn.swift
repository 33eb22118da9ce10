import Foundation

/// Codable values without columns of their own: JSON text with sorted keys, so that equal values are equal texts.
/// Numbers that JSON lacks (NaN, ±infinity) are the strings `nan`, `inf` and `-inf`. A set, or a dictionary that is an
/// array in JSON, has its elements in one order (``UnorderedValue``); one inside another value doesn't.
///
/// Foundation encodes and decodes at most 512 levels.
package enum JSONColumn {
  /// - Parameters:
  ///   - name: The entity and the property that has the value, for the error.
  /// - Throws: ``SwiftDataError/modelValidationFailure`` when this thread's stack has no room for the value's levels,
  ///   and the errors of the value's own code.
  package static func encode<Value: Encodable>(
    _ value: Value, of name: @autoclosure () -> String? = nil
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let value = value as? any UnorderedValue, !type(of: value).isObject else {
      return try text(of: value, by: encoder, name)
    }
    let ordered = try value.ordered { part in try text(of: part, by: encoder, name) }
    return try text(of: ordered, by: encoder, name)
  }

  private static func text<Value: Encodable>(
    of value: Value, by encoder: JSONEncoder, _ name: () -> String?
  ) throws -> String {
    // Nearly every thread has enough stack for all possible levels.
    guard ThreadStack.room < deepest * bytesPerEncodedLevel else {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    let checker = StackChecker()
    let result = Result { try checker.encode(value, by: encoder) }
    if checker.isExceeded {
      throw SwiftDataError.modelValidationFailure.explained(
        "\(name() ?? "A \(Value.self)") has a value that is nested too deep to be encoded on the stack of this"
          + " thread. Save it on a thread with a larger stack.")
    }
    return String(decoding: try result.get(), as: UTF8.self)
  }

  package static func decode<Value: Decodable>(_ type: Value.Type, from text: Data) throws -> Value
  {
    let room = max(0, ThreadStack.room - reserve)
    if room < deepest * bytesPerLevel {
      let most = room / bytesPerLevel
      let depth = depth(of: text, above: most)
      guard depth <= most else {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: [],
            debugDescription:
              "The JSON is nested \(depth) levels deep, and this thread's stack has room for"
              + " \(most). Read it on a thread with a larger stack."))
      }
    }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: text)
  }

  /// The maximum number of levels that Foundation decodes.
  private static let deepest = 512
  /// The stack, in bytes, that a level takes while it is decoded: 1,100 were measured, including a value's own code,
  /// which may need more.
  private static let bytesPerLevel = 2_048
  /// The stack, in bytes, that a level takes while it is encoded. With less, the stack is measured at each level, which
  /// takes longer.
  private static let bytesPerEncodedLevel = 8 << 10
  /// The stack, in bytes, reserved for all other calls.
  private static let reserve = 32 << 10

  /// The nesting depth of JSON text: the largest number of arrays and objects that are open at the same time. Returns 0
  /// when the text has too few brackets to exceed `limit`.
  private static func depth(of text: Data, above limit: Int) -> Int {
    // Each level is two characters.
    guard text.count > 2 * limit else { return 0 }
    return text.withUnsafeBytes { bytes in
      var openings = 0
      for byte in bytes where byte | 0x20 == UInt8(ascii: "{") { openings &+= 1 }
      return openings > limit ? depth(of: bytes) : 0
    }
  }

  private static func depth(of bytes: UnsafeRawBufferPointer) -> Int {
    var (depth, deepest, isText, isEscaped) = (0, 0, false, false)
    for byte in bytes {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return deepest
  }

  static func decode<Value: Decodable>(
    _ type: Value.Type, from reader: inout _RowReader
  ) throws -> Value {
    let cell = try reader.next()
    guard cell.kind == .text else { throw reader.mismatch(expected: "JSON text", cell) }
    do {
      return try decode(type, from: Data(reader.bytes(of: cell)))
    } catch {
      throw reader.mismatch(expected: "JSON of \(type) (\(error))", cell)
    }
  }
}
