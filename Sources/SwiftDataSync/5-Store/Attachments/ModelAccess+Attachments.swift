import Foundation
import SwiftData
import SwiftDataSQL

extension ModelAccess {
  /// Returns the attachments among the values of an object.
  func references(in values: SyncValues?, of object: SyncObjectID) -> [SyncAttachmentReference] {
    guard let values, let form = forms[object.entity], !form.attachments.isEmpty else { return [] }
    return form.references(in: values, of: object)
  }

  /// Stores bytes that arrived inline among the values, although the property is an attachment locally.
  ///
  /// - Parameters:
  ///   - given: The received values, perhaps incomplete.
  ///   - known: The values before.
  ///   - complete: The combination of both.
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

  /// Returns the attachments that prevent values from being written: their bytes were not fetched, and the model
  /// doesn't have them either.
  func missingAttachments(
    in values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncAttachmentReference] {
    guard let attachments else { return [] }
    let unknown = values.flatMap { references(in: $0.values, of: $0.object) }
      .filter { !attachments.has($0.attachment) }
    return try unknown.filter { try content(of: $0) == nil }
  }

  // MARK: Bytes of models

  /// The location of a model's bytes.
  private enum Content {
    case row([UInt8])
    case file(URL)
  }

  /// Finds the bytes of an attachment in its model, without reading anything else.
  ///
  /// - Returns: nil when the model has another value or doesn't exist.
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

  /// Returns a portion of the model's bytes.
  ///
  /// - Returns: nil when the model has another value or doesn't exist.
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

  /// Stores the model's current bytes, so that they survive later edits of the model.
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
