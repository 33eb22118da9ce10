import SwiftSyntax

/// The code that moves values between the model and a row: concrete, by position, in order.
extension ModelClass {
  var rowCodec: [DeclSyntax] {
    let writer = "into writer: inout SwiftData._RowWriter"
    let reader = "from reader: inout SwiftData._RowReader"
    return [
      """
      \(raw: visibility)func _$encode(\(raw: writer)) {
      \(raw: properties.map { "writer.write\($0.rowMethodSuffix)(\($0.storageName))" }.indentedLines)
      }
      """,
      """
      \(raw: visibility)func _$encode(_ index: Swift.Int, \(raw: writer)) {
      \(raw: selection { "writer.write\($0.rowMethodSuffix)(\($0.storageName))" })
      }
      """,
      """
      \(raw: visibility)func _$decode(\(raw: reader)) throws {
      \(raw: properties.map { "try reader.read\($0.rowMethodSuffix)(&\($0.storageName))" }.indentedLines)
      }
      """,
      """
      \(raw: visibility)func _$decode(_ index: Swift.Int, \(raw: reader)) throws {
      \(raw: selection { "try reader.read\($0.rowMethodSuffix)(&\($0.storageName))" })
      }
      """,
      """
      \(raw: visibility)func _$clear(_ index: Swift.Int) {
      \(raw: selection { "\($0.storageName).value = nil" })
      }
      """,
    ]
  }

  /// A `switch` over the index of a property that runs one statement for it.
  private func selection(_ statement: (PersistedProperty) -> String) -> String {
    let cases = properties.map { "case \($0.index): \(statement($0))" }
    return (["switch index {"] + cases + ["default: break", "}"]).indentedLines
  }
}
