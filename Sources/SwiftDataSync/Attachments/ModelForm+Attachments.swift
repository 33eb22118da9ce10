import SwiftData
import SwiftDataSQL

extension ModelForm {
  /// Lets large values of the attributes that are made for them go apart from the others.
  ///
  /// Values that are encrypted here stay among the others: a folder of attachments would have them in the clear. So do
  /// those of annotated classes.
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

  /// The attachment that is the value of a property.
  func attachment(_ value: SyncValue?, of property: Int) -> SyncAttachment? {
    guard attachments.contains(property), let value else { return nil }
    return SyncAttachment(value)
  }

  /// The bytes of a row that are an attachment; nil when they are a value like others.
  func attachmentBytes(of property: Int, in row: RowSnapshot) -> ArraySlice<UInt8>? {
    guard attachments.contains(property) else { return nil }
    let cell = row.cells[plan.properties[property].columns.lowerBound]
    guard cell.kind == .blob, cell.count > SyncAttachment.threshold else { return nil }
    return row.arena[Int(cell.bits)..<Int(cell.bits) + cell.count]
  }

  /// The cells of one attribute that has these bytes, as of a row that has nothing else.
  func row(ofBytes bytes: [UInt8], property: Int) -> RowSnapshot {
    var row = _RowWriter(plan: plan)
    for _ in 0..<plan.properties[property].columns.lowerBound { row.appendNull() }
    row.append(blob: bytes)
    return row.snapshot
  }

  /// The attachments among the values of an object.
  func references(in values: SyncValues, of object: SyncObjectID) -> [SyncAttachmentReference] {
    attachments.compactMap { index in
      let name = plan.properties[index].name
      return values[name].flatMap(SyncAttachment.init).map {
        SyncAttachmentReference(object, name, $0)
      }
    }
  }
}
