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
      decodeSuper + properties.map { "do { \(reading(of: $0)) }" }
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

  /// Lets the reader fill a copy of the storage. An access to the storage itself that lasted as long as the reading would
  /// make the compiler leave a check of exclusive access in every other one, getters too.
  private func reading(of property: PersistedProperty) -> String {
    let storage = property.storageName
    return "var _$stored = \(storage); try reader.read\(property.rowMethodSuffix)(&_$stored);"
      + " \(storage) = consume _$stored"
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
