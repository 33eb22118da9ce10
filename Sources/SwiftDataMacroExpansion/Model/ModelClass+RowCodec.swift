import SwiftSyntax

/// The code that moves values between the model and a row: concrete, by position, in order.
extension ModelClass {
  var rowCodec: [String] {
    let writer = "into writer: inout SwiftData._RowWriter"
    let reader = "from reader: inout SwiftData._RowReader"
    let declaration = isSubmodel ? "\(visibility)override func" : "\(visibility)func"
    let encodeSuper = isSubmodel ? ["super._$encode(into: &writer)"] : []
    let decodeSuper = isSubmodel ? ["try super._$decode(from: &reader)"] : []
    let encoded =
      encodeSuper + properties.map { "writer.write\($0.rowMethodSuffix)(\($0.storageName))" }
    let decoded =
      decodeSuper
      + properties.map { property in
        property.rowMethodSuffix == "Ephemeral"
          ? "do { \(reading(of: property)) }" : reading(of: property)
      }
    return [
      """
      \(declaration) _$encode(\(writer)) {
      \(encoded.indentedLines)
      }
      """,
      """
      \(declaration) _$encode(_ index: Swift.Int, \(writer)) {
      \(selection("super._$encode(index, into: &writer)") { "writer.write\($0.rowMethodSuffix)(\($0.storageName))" })
      }
      """,
      """
      \(declaration) _$decode(\(reader)) throws {
      \(decoded.indentedLines)
      }
      """,
      """
      \(declaration) _$decode(_ index: Swift.Int, \(reader)) throws {
      \(selection("try super._$decode(index, from: &reader)", reading))
      }
      """,
      """
      \(declaration) _$clear(_ index: Swift.Int) {
      \(selection("super._$clear(index)") { "\($0.storageName).value = nil" })
      }
      """,
    ]
  }

  /// Assigns the reader's value to the storage. If an access to the storage lasted as long as the reading, the compiler
  /// would leave a check of exclusive access in every other access, including getters; so only the method that can keep
  /// the existing value receives a copy of it.
  private func reading(of property: PersistedProperty) -> String {
    let storage = property.storageName
    let method = "read\(property.rowMethodSuffix)"
    if property.rowMethodSuffix == "Ephemeral" {
      return "var _$stored = \(storage); try reader.\(method)(&_$stored);"
        + " \(storage) = consume _$stored"
    }
    return "\(storage) = try reader.\(method)()"
  }

  /// A `switch` over the index of a property with one statement for each; a superclass handles all other indices.
  private func selection(
    _ inherited: String, _ statement: (PersistedProperty) -> String
  ) -> String {
    let cases = properties.map { "case \($0.index): \(statement($0))" }
    let subject = isSubmodel ? "index - \(name)._$inherited" : "index"
    return
      (["switch \(subject) {"] + cases + ["default: \(isSubmodel ? inherited : "break")", "}"])
      .indentedLines
  }
}
