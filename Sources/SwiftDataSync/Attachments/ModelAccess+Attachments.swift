import Foundation
import SwiftData
import SwiftDataSQL

extension ModelAccess {
  /// The attachments among the values of an object.
  func references(in values: SyncValues?, of object: SyncObjectID) -> [SyncAttachmentReference] {
    guard let values, let form = forms[object.entity], !form.attachments.isEmpty else { return [] }
    return form.references(in: values, of: object)
  }

  /// Keeps bytes that came among the other values, though they are an attachment here.
  ///
  /// - Parameters:
  ///   - given: What came, as far as it did.
  ///   - known: What the values were before.
  ///   - complete: What was made of both.
  func keepInlineAttachments(
    _ given: SyncValues, over known: SyncValues?, _ complete: SyncValues, _ form: ModelForm
  ) throws {
    guard let attachments else { return }
    for index in form.attachments {
      let name = form.plan.properties[index].name
      guard let attachment = form.attachment(complete[name], of: index),
        case .text(let text) = given[name] ?? known?[name], let data = Data(base64Encoded: text)
      else { continue }
      try attachments.keep([UInt8](data), as: attachment)
    }
  }

  /// The attachments among values that can't be written: their bytes were neither fetched, nor are they the ones that the
  /// model has.
  func missingAttachments(
    in values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncAttachmentReference] {
    guard let attachments else { return [] }
    let unknown = values.flatMap { references(in: $0.values, of: $0.object) }
      .filter { !attachments.has($0.attachment) }
    return try unknown.filter { try content(of: $0) == nil }
  }

  // MARK: Bytes of models

  /// Where a model's bytes are.
  private enum Content {
    case row([UInt8])
    case file(URL)
  }

  /// Finds the bytes of an attachment in the model that has it, without reading more than that.
  ///
  /// - Returns: nil when the model has another value, or isn't there.
  private func content(of reference: SyncAttachmentReference) throws -> Content? {
    guard let form = forms[reference.object.entity],
      let index = form.plan.propertiesByName[reference.property], form.attachments.contains(index)
    else { return nil }
    let column = form.plan.columns[form.plan.properties[index].columns.lowerBound].name
    var value = SQLValue.null
    try store.readSideTables { tables in
      guard let row = try row(of: reference.object, tables) else { return }
      try tables.forEach(
        "SELECT \(SQLIdentifier.quoted(column)) FROM \(form.table) WHERE \"_id\" = ?",
        [.integer(row)]
      ) { value = $0[0] }
    }
    switch value {
    case .text(let name) where name == reference.attachment.sha256:
      guard let file = store.externalFile(named: name),
        AttachmentFolder.size(file) == reference.attachment.byteCount
      else { return nil }
      return .file(file)
    case .blob(let bytes) where SyncAttachment(of: bytes) == reference.attachment:
      return .row(bytes)
    default: return nil
    }
  }

  /// A portion of the bytes that a model has.
  ///
  /// - Returns: nil when the model has another value, or isn't there.
  func portion(
    of reference: SyncAttachmentReference, from offset: Int, length: Int
  ) throws -> [UInt8]? {
    guard (0...reference.attachment.byteCount).contains(offset), length > 0 else { return nil }
    switch try content(of: reference) {
    case .row(let bytes): return Array(bytes.dropFirst(offset).prefix(length))
    case .file(let file): return AttachmentFolder.portion(of: file, from: offset, length: length)
    case nil: return nil
    }
  }

  /// Keeps the bytes that a model has now, whatever becomes of it.
  ///
  /// - Returns: False when the model has another value.
  func keep(_ reference: SyncAttachmentReference) throws -> Bool {
    guard let attachments else { return false }
    switch try content(of: reference) {
    case .row(let bytes): try attachments.keep(bytes, as: reference.attachment)
    case .file(let file): try attachments.keep(file, as: reference.attachment)
    case nil: return false
    }
    return attachments.has(reference.attachment)
  }
}
