import Foundation

/// The names of value types in a schema's file format.
///
/// A schema read from a file may name types that this program doesn't have; they become ``Unknown``
/// and keep only their optionality.
enum SchemaTypeName {
  enum Unknown {}

  private static let known: [String: any Any.Type] = {
    let types: [any Any.Type] = [
      Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
      UInt16.self, UInt32.self, UInt64.self, Float.self, Double.self, String.self, Date.self,
      Data.self, UUID.self, URL.self, Decimal.self,
    ]
    var known: [String: any Any.Type] = [:]
    for type in types { known["\(type)"] = type }
    known["Bool?"] = Bool?.self
    func optional<Value>(_ type: Value.Type) -> any Any.Type { Value?.self }
    for type in types { known["\(type)?"] = _openExistential(type, do: optional) }
    return known
  }()

  static func name(of type: any Any.Type) -> String {
    let (wrapped, isOptional) = PropertyShape.unwrapped(type)
    return "\(wrapped)" + (isOptional ? "?" : "")
  }

  static func type(named name: String) -> any Any.Type {
    known[name] ?? (name.hasSuffix("?") ? Unknown?.self : Unknown.self)
  }
}
