import Foundation
import SwiftDataCore

extension ModelForm {
  /// Makes large values of eligible attributes attachments, which are transferred separately.
  ///
  /// Values that are encrypted locally remain among the other values: a folder of attachments would hold them in plain
  /// text. Values of annotated classes remain there too.
  mutating func separateAttachments() {
    guard annotations == nil else { return }
    attachments = attributes.filter { index in
      let property = plan.properties[index]
      guard property.storage.isExternal, !property.storage.isEncrypted,
        property.columns.count == 1, let column = property.columns.first,
        plan.columns[column].kind == .data, plan.columns[column].members.isEmpty
      else { return false }
      return PropertyShape.unwrapped(property.valueType).type == Data.self
    }
  }

  /// Returns the attachment that is the value of a property.
  func attachment(_ value: SyncValue?, of property: Int) -> SyncAttachment? {
    guard attachments.contains(property), let value else { return nil }
    return SyncAttachment(value)
  }

  /// Returns the bytes of a cell that is an attachment; nil when the cell is an ordinary value.
  func attachmentBytes(of property: Int, in row: RowCopy) -> ArraySlice<UInt8>? {
    guard attachments.contains(property) else { return nil }
    let cell = row.cells[plan.properties[property].columns.lowerBound]
    guard cell.kind == .blob, cell.count > SyncAttachment.threshold else { return nil }
    return row.arena[Int(cell.bits)..<Int(cell.bits) + cell.count]
  }

  /// Returns a row that has only these bytes, as the value of one attribute.
  func row(ofBytes bytes: [UInt8], property: Int) -> RowCopy {
    var row = _RowWriter(plan: plan)
    for _ in 0..<plan.properties[property].columns.lowerBound { row.appendNull() }
    row.append(blob: bytes)
    return row.rowCopy
  }

  /// Returns the attachments among the values of an object.
  func references(in values: SyncValues, of object: SyncObjectID) -> [SyncAttachmentReference] {
    attachments.compactMap { index in
      let name = plan.properties[index].name
      return values[name].flatMap(SyncAttachment.init).map {
        SyncAttachmentReference(object, name, $0)
      }
    }
  }
}
