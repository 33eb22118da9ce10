import Foundation

/// Codable values that have no columns of their own: JSON text with sorted keys, so that equal values
/// are equal texts. Numbers that JSON lacks (NaN, ±infinity) are the strings `nan`, `inf` and `-inf`.
package enum JSONColumn {
  package static func encode<Value: Encodable>(_ value: Value) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  package static func decode<Value: Decodable>(_ type: Value.Type, from text: Data) throws -> Value
  {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: text)
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
