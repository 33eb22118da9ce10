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

  /// Puts what the reader makes into the storage. An access to the storage that lasted as long as the reading would
  /// make the compiler leave a check of exclusive access in every other one, getters too; so only what can keep the
  /// value that is there is given a copy of it.
  private func reading(of property: PersistedProperty) -> String {
    let storage = property.storageName
    let method = "read\(property.rowMethodSuffix)"
    if property.rowMethodSuffix == "Ephemeral" {
      return "var _$stored = \(storage); try reader.\(method)(&_$stored);"
        + " \(storage) = consume _$stored"
    }
    return "\(storage) = try reader.\(method)()"
  }

  /// A `switch` over the index of a property that runs one statement for it; a superclass has the others.
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
