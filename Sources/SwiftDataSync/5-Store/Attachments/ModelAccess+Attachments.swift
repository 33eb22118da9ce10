import Foundation
import SwiftDataCore

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
    let unknown = try values.flatMap { references(in: $0.values, of: $0.object) }
      .filter { try !attachments.has($0.attachment) }
    var found: Set<SyncAttachmentReference> = []
    try forEachContent(of: unknown) { reference, _ in found.insert(reference) }
    return unknown.filter { !found.contains($0) }
  }

  /// Returns the references whose models have the attachment, in readable form.
  func present(_ references: [SyncAttachmentReference]) throws -> Set<SyncAttachmentReference> {
    var present: Set<SyncAttachmentReference> = []
    try forEachContent(of: references) { reference, content in
      if case .file(let file) = content,
        try AttachmentFolder.portion(of: file, from: 0, length: 1) == nil
      {
        return
      }
      present.insert(reference)
    }
    return present
  }

  // MARK: Bytes of models

  /// The location of a model's bytes.
  private enum Content {
    case row([UInt8])
    case file(URL)
  }

  /// Finds the bytes of attachments in their models, without reading anything else. A reference whose model has another
  /// value or doesn't exist is left out.
  ///
  /// - Parameter body: Called with one content after the other, so that only one is in memory.
  private func forEachContent(
    of references: [SyncAttachmentReference],
    _ body: (SyncAttachmentReference, Content) throws -> Void
  ) throws {
    let columns = Dictionary(grouping: Set(references)) { reference in
      AttachmentColumn(entity: reference.object.entity, property: reference.property)
    }
    try store.readRows { transaction in
      for (column, references) in columns {
        guard let form = forms[column.entity],
          let index = form.plan.propertiesByName[column.property], form.attachments.contains(index)
        else { continue }
        let wanted = Dictionary(grouping: references, by: \.object.key)
        let key = RowColumn.column(form.keyPosition)
        try transaction.forEachRow(
          RowRequest(
            form.plan, [key, .column(form.plan.properties[index].columns.lowerBound)],
            isExact: true),
          where: key, in: wanted.keys.compactMap { form.binding(ofKey: $0) }
        ) { cells in
          guard let key = form.key(of: ColumnValue(cells[0])) else { return }
          let value = ColumnValue(cells[1])
          for reference in wanted[key] ?? [] {
            if let content = try content(value, of: reference.attachment) {
              try body(reference, content)
            }
          }
        }
      }
    }
  }

  private struct AttachmentColumn: Hashable {
    let entity: String
    let property: String
  }

  /// Returns the location of an attachment's bytes; nil when the column's value isn't the attachment.
  private func content(
    _ value: ColumnValue, of attachment: SyncAttachment
  ) throws -> Content? {
    switch value {
    case .text(let name) where name == attachment.sha256:
      guard let file = store.externalFile(named: name),
        try AttachmentFolder.size(file) == attachment.byteCount
      else { return nil }
      return .file(file)
    case .blob(let bytes) where SyncAttachment(of: bytes) == attachment:
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
    var portion: [UInt8]?
    try forEachContent(of: [reference]) { _, content in
      switch content {
      case .row(let bytes): portion = Array(bytes.dropFirst(offset).prefix(length))
      case .file(let file):
        portion = try AttachmentFolder.portion(of: file, from: offset, length: length)
      }
    }
    return portion
  }

  /// Stores the models' current bytes, so that they survive later edits of the models.
  ///
  /// - Returns: False when one of the models has another value.
  func keep(_ references: [SyncAttachmentReference]) throws -> Bool {
    guard let attachments else { return references.isEmpty }
    try forEachContent(of: references) { reference, content in
      switch content {
      case .row(let bytes): try attachments.keep(bytes, as: reference.attachment)
      case .file(let file): try attachments.keep(file, as: reference.attachment)
      }
    }
    return try references.allSatisfy { try attachments.has($0.attachment) }
  }
}
