import Foundation

/// The requests that a structure makes while it decodes itself without data.
final class CompositeProbe {
  var columns: [CompositeShape.Column] = []
  var isUnsuitable = false
  /// The member that was just tested for nil: the standard library's `decodeIfPresent` makes this test before it
  /// decodes, which reveals an optional member.
  var pathTestedForNil: [String]?

  func record(_ path: [String], _ kind: ColumnKind, isOptional: Bool, type: String) {
    if columns.contains(where: { $0.path == path }) { isUnsuitable = true }
    columns.append(.init(path: path, kind: kind, isOptional: isOptional, type: type))
  }
}

/// The error that ends a probe early: the structure can't be represented as columns.
struct UnsuitableForColumns: Error {}

/// A decoder without data: it records the requested keys and types and returns zero values.
struct ProbeDecoder: Decoder {
  /// The levels of nested structures that are examined: one that contains ever new types of structures has no end.
  private static let depthLimit = 32

  let probe: CompositeProbe
  let path: [String]
  /// The structures that are decoding themselves, the outermost first.
  private let types: [ObjectIdentifier]

  /// Makes a decoder for a structure of the type.
  init(probe: CompositeProbe, decoding type: any Any.Type) {
    self.probe = probe
    path = []
    types = [ObjectIdentifier(type)]
  }

  /// Makes a decoder for a member of the structure that `outer` decodes.
  ///
  /// - Throws: ``UnsuitableForColumns`` when the member contains itself: with every key present, it would have no end.
  ///   The outermost structure isn't suitable either, even if its code passes over the error.
  fileprivate init(_ type: any Any.Type, at path: [String], in outer: ProbeDecoder) throws {
    let identity = ObjectIdentifier(type)
    guard outer.types.count < Self.depthLimit, !outer.types.contains(identity) else {
      outer.probe.isUnsuitable = true
      throw UnsuitableForColumns()
    }
    probe = outer.probe
    self.path = path
    types = outer.types + [identity]
  }
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ProbeContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw UnsuitableForColumns() }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw UnsuitableForColumns()
  }
}

private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ProbeDecoder
  private var probe: CompositeProbe { decoder.probe }
  private var path: [String] { decoder.path }
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) throws -> Bool {
    probe.pathTestedForNil = path + [key.stringValue]
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let path = path + [key.stringValue]
    defer { probe.pathTestedForNil = nil }
    return try value(type, at: path, isOptional: probe.pathTestedForNil == path)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try value(type, at: path + [key.stringValue], isOptional: true)
  }

  private func value<Value: Decodable>(
    _ type: Value.Type, at path: [String], isOptional: Bool
  ) throws -> Value {
    if let kind = PropertyShape.scalarKind(of: type) {
      probe.record(path, kind, isOptional: isOptional, type: "\(type)")
      guard let zero = ZeroValue.make(type) else { throw UnsuitableForColumns() }
      return zero
    }
    // A nested structure is flattened; an optional one would need its own presence column, so it becomes JSON.
    guard !isOptional, CompositeShape.isPlainStructure(type), type is any Encodable.Type else {
      throw UnsuitableForColumns()
    }
    return try type.init(from: ProbeDecoder(type, at: path, in: decoder))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw UnsuitableForColumns()
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw UnsuitableForColumns()
  }

  func superDecoder() throws -> any Decoder { throw UnsuitableForColumns() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw UnsuitableForColumns() }
}
