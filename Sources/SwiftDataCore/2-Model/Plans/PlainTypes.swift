import Foundation

/// The types that most properties have, and their optionals. The table shows that such a type doesn't conform to a
/// protocol; the runtime would search all conformances of the program for it, which takes a considerable part of the
/// time to open a store.
enum PlainTypes {
  /// The type inside an optional, and whether there was one; nil for types that aren't in the table.
  static func known(_ type: any Any.Type) -> (type: any Any.Type, isOptional: Bool)? {
    types[ObjectIdentifier(type)]
  }

  private static let types: [ObjectIdentifier: (type: any Any.Type, isOptional: Bool)] = {
    var types: [ObjectIdentifier: (type: any Any.Type, isOptional: Bool)] = [:]
    types.reserveCapacity(40)
    func add<Value>(_ type: Value.Type) {
      types[ObjectIdentifier(type)] = (type, false)
      types[ObjectIdentifier(Value?.self)] = (type, true)
    }
    add(String.self)
    add(Bool.self)
    add(Int.self)
    add(Int8.self)
    add(Int16.self)
    add(Int32.self)
    add(Int64.self)
    add(UInt.self)
    add(UInt8.self)
    add(UInt16.self)
    add(UInt32.self)
    add(UInt64.self)
    add(Double.self)
    add(Float.self)
    add(Decimal.self)
    add(Date.self)
    add(Data.self)
    add(UUID.self)
    add(URL.self)
    return types
  }()
}
