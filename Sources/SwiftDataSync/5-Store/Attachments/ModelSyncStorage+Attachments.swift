import Foundation
import SwiftDataCore

extension ModelSyncStorage {
  /// The folder of attachments that are being transferred; nil when attachments are sent among the other values.
  package var attachments: AttachmentFolder? { access.attachments }

  /// Returns the attachments among the values of an object.
  package func references(
    in values: SyncValues?, of object: SyncObjectID
  ) -> [SyncAttachmentReference] { access.references(in: values, of: object) }

  /// Returns a portion of the model's bytes; nil when the model has another value or doesn't exist.
  package func portion(
    of reference: SyncAttachmentReference, from offset: Int, length: Int
  ) throws -> [UInt8]? { try access.portion(of: reference, from: offset, length: length) }

  /// Returns the obstacles of writes whose attachments haven't been fetched.
  func missingAttachments(
    in values: [(object: SyncObjectID, values: SyncValues?)]
  ) throws -> [SyncObjectID: SyncObstacle] {
    let missing = try access.missingAttachments(in: values)
    return Dictionary(grouping: missing, by: \.object).mapValues { references in
      .attachments(properties: references.map(\.property))
    }
  }

  /// Returns the attachments to fetch before the server's changes can be stored: those of the changes, and those of
  /// objects that were deferred because bytes were missing.
  package func wantedAttachments(for remotes: [SyncRemote]) throws -> [SyncAttachmentReference] {
    guard access.attachments != nil else { return [] }
    var wanted = remotes.map { (object: access.canonical($0.object), values: $0.values) }
    let quarantined = try quarantineReasons().filter { _, reason in
      if case .attachments = reason { true } else { false }
    }
    if !quarantined.isEmpty {
      for (object, entry) in try load(Array(quarantined.keys)).sorted(by: { $0.key < $1.key }) {
        wanted.append((object, entry.record.deferred?.values))
      }
    }
    return try access.missingAttachments(in: wanted)
  }

  /// Stores the bytes of changes that are about to be sent, because the models may be edited before they are sent.
  ///
  /// - Throws: ``SyncStale`` when one of the models has been edited already.
  func keepAttachments(of inFlight: [SyncInFlight]?) throws {
    guard let attachments = access.attachments, let inFlight else { return }
    let changes = try inFlight.map(\.change).filter { change in
      try access.references(in: change.values, of: change.object)
        .contains { try !attachments.has($0.attachment) }
    }
    guard !changes.isEmpty else { return }
    let known = Set(try self.inFlight().map(\.change.id))
    let entries = try load(changes.map(\.object))
    let wanted = try changes.filter { !known.contains($0.id) }.flatMap { change in
      try access.references(in: change.values, of: change.object).filter { reference in
        // Bytes that the server has needn't be sent again.
        try entries[change.object]?.record.base?[reference.property] != reference.attachment.value
          && !attachments.has(reference.attachment)
      }
    }
    guard try access.keep(wanted) else { throw SyncStale() }
  }

  /// Removes files that no entry in the bookkeeping tables needs.
  ///
  /// - Parameter date: Partial files that have grown since this date are kept.
  package func sweepAttachments(partsSince date: Date) throws {
    try sweepAttachments(partsSince: date, fetched: nil)
  }

  /// Removes files that no entry in the bookkeeping tables needs, except those that other engines have fetched.
  ///
  /// - Parameters:
  ///   - date: Partial files that have grown since this date are kept.
  ///   - fetched: The attachments that this engine has fetched.
  func sweepAttachments(partsSince date: Date, fetched: FetchedAttachments?) throws {
    guard let attachments = access.attachments, try !attachments.isEmpty else { return }
    var wanted: Set<String> = []
    func want(_ values: SyncValues?, _ object: SyncObjectID) {
      wanted.formUnion(access.references(in: values, of: object).map(\.attachment.sha256))
    }
    for item in try inFlight() { want(item.change.values, item.change.object) }
    for (object, quarantine) in try quarantined() { want(quarantine.change?.values, object) }
    try read(
      SideTableQuery(
        SyncTables.objects, ["entity", "key", "held"], where: .isNotNull("held"))
    ) { columns in
      guard let object = Self.object(columns).first, let json = try access.document(columns[2])
      else {
        return
      }
      want(try SyncRemote(json: json).values, object)
    }
    // The bytes of models that wait for a parent are stored nowhere else.
    var waiting: Set<SyncObjectID> = []
    try read(SideTableQuery(SyncTables.waiting, ["entity", "key"])) {
      waiting.formUnion(Self.object($0))
    }
    try access.store.readRows { transaction in
      try transaction.forEachRow(
        of: waiting, in: SyncTables.objects, ["base"], where: .isNull("row")
      ) { object, columns in
        if case .object(let base) = try access.document(columns[0]) { want(base, object) }
      }
    }
    try fetched?.release(keeping: wanted)
    try attachments.sweep(
      keeping: wanted, partsSince: date, completeSince: fetched == nil ? .distantFuture : .now)
  }
}
