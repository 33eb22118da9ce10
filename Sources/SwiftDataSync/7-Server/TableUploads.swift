import ContentFiles
import Foundation
import SwiftDataCore

/// Uploads in tables of the store, for stores without files: all servers of the store see the same ones.
struct TableUploads: UploadStorage {
  /// The uploads: the number of their bytes, and the time of the last portion.
  static let uploads = SideTable(
    "_syncserver_upload",
    [
      .init("owner", .text), .init("sha256", .text), .init("size", .integer),
      .init("present", .integer), .init("time", .real),
    ], key: .ordered(["owner", "sha256"]), indices: [.init("_syncserver_upload_time", ["time"])])

  /// The portions, each with the offset of its first byte.
  static let portions = SideTable(
    "_syncserver_portion",
    [
      .init("owner", .text), .init("sha256", .text), .init("start", .integer),
      .init("bytes", .blob),
    ], key: .columns(["owner", "sha256", "start"]))

  private let store: any KeyedRowStore

  /// Creates the tables where they are missing.
  init(_ store: any KeyedRowStore) throws {
    self.store = store
    try store.writeSideTables { transaction in
      try transaction.create(Self.uploads)
      try transaction.create(Self.portions)
    }
  }

  /// The columns that name an upload. The user's name is hashed: it may be any text, including one that a database
  /// can't hold.
  private static func key(_ attachment: SyncAttachment, _ user: String) -> [ColumnValue] {
    [.text(owner(user)), .text(attachment.sha256)]
  }

  private static func owner(_ user: String) -> String { ContentName.text(of: Array(user.utf8)) }

  func offsets(of attachments: [SyncAttachment], user: String) throws -> [SyncAttachment: Int] {
    guard !attachments.isEmpty else { return [:] }
    return try store.readRows { try Self.offsets(of: attachments, user, $0) }
  }

  private static func offsets(
    of attachments: [SyncAttachment], _ user: String, _ transaction: any RowReadTransaction
  ) throws -> [SyncAttachment: Int] {
    var present: [SyncAttachment: Int] = [:]
    try transaction.forEachRow(
      SideTableQuery(
        uploads, ["sha256", "size", "present"], where: .equal("owner", .text(owner(user)))),
      where: "sha256", in: Set(attachments.map(\.sha256)).map { .text($0) }
    ) { columns in
      guard let sha256 = columns[0].text, let size = columns[1].integer.flatMap(Int.init(exactly:)),
        let attachment = SyncAttachment(sha256: sha256, byteCount: size)
      else { return }
      present[attachment] = count(columns[2], of: size)
    }
    return attachments.reduce(into: [:]) { $0[$1] = present[$1] ?? 0 }
  }

  /// Returns the number of present bytes of an upload of a size. Other programs can write to the tables: a number that
  /// can't be counts as 0, as of an upload that begins anew.
  private static func count(_ present: ColumnValue, of size: Int) -> Int {
    guard let count = present.integer.flatMap(Int.init(exactly:)), size >= 0,
      (0...size).contains(count)
    else { return 0 }
    return count
  }

  func append(
    _ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int, user: String,
    limits: SyncAttachmentLimits
  ) throws -> Int? {
    let key = Self.key(attachment, user)
    return try store.writeSideTables { transaction in
      try Self.remove(olderThan: limits.oldest, transaction)
      let (sum, isBeyond) = try Self.byteCount(of: user, transaction)
        .addingReportingOverflow(bytes.count)
      guard !isBeyond, sum <= limits.maximumPendingByteCount else { return nil }
      let present = try Self.offsets(of: [attachment], user, transaction)[attachment] ?? 0
      guard present == offset, !bytes.isEmpty, present < attachment.byteCount else {
        return present
      }
      // Portions of a size that was declared differently.
      if present == 0 { try Self.remove([key], transaction) }
      guard bytes.count <= attachment.byteCount - present else {
        try Self.remove([key], transaction)
        return 0
      }
      try Self.insert(bytes, at: present, key, transaction)
      let count = present + bytes.count
      guard try count < attachment.byteCount || Self.matches(attachment, key, transaction) else {
        try Self.remove([key], transaction)
        return 0
      }
      try transaction.insert(
        SideTableRows(
          Self.uploads.columns.map(\.name),
          [
            key + [
              .integer(Int64(attachment.byteCount)), .integer(Int64(count)),
              .real(Date.now.timeIntervalSinceReferenceDate),
            ]
          ]), into: Self.uploads, existing: .merge([:]))
      return count
    }
  }

  /// Inserts a portion. It is joined to the one before it if that is smaller than any attachment, so that many small
  /// portions have few rows.
  private static func insert(
    _ bytes: [UInt8], at offset: Int, _ key: [ColumnValue], _ transaction: any RowWriteTransaction
  ) throws {
    let isOfKey = condition(key)
    var start = Int64(offset)
    try transaction.forEachRow(
      SideTableQuery(portions, ["start"], where: .all(isOfKey))
        .ordered(by: "start", descending: true).limited(to: 1)
    ) { columns in
      if let last = columns[0].integer, (0..<start).contains(last),
        start - last < SyncAttachment.threshold
      {
        start = last
      }
    }
    var joined: [UInt8] = []
    if start < offset {
      try transaction.forEachRow(
        SideTableQuery(
          portions, ["bytes"], where: .all(isOfKey + [.equal("start", .integer(start))]))
      ) { joined = $0[0].bytes ?? [] }
    }
    try transaction.insert(
      SideTableRows(
        portions.columns.map(\.name), [key + [.integer(start), .blob(joined + bytes)]]),
      into: portions, existing: .replace)
  }

  private static func condition(_ key: [ColumnValue]) -> [SideTableCondition] {
    [.equal("owner", key[0]), .equal("sha256", key[1])]
  }

  /// The size of a user's uploads in bytes. Each counts at least as much as the smallest attachment, so that a limit on
  /// the bytes also limits the number of rows.
  private static func byteCount(
    of user: String, _ transaction: any RowReadTransaction
  ) throws -> Int {
    var count = 0
    try transaction.forEachRow(
      SideTableQuery(uploads, ["size", "present"], where: .equal("owner", .text(owner(user))))
    ) { columns in
      let size = columns[0].integer.flatMap(Int.init(exactly:)) ?? 0
      let present = max(Self.count(columns[1], of: size), SyncAttachment.threshold)
      let (sum, isBeyond) = count.addingReportingOverflow(present)
      count = isBeyond ? .max : sum
    }
    return count
  }

  func bytes(of attachment: SyncAttachment, user: String) throws -> [UInt8]? {
    let key = Self.key(attachment, user)
    let found: [UInt8]? = try store.readRows { transaction in
      guard
        try Self.offsets(of: [attachment], user, transaction)[attachment] == attachment.byteCount
      else { return nil }
      var bytes: [UInt8] = []
      try Self.forEachPortion(key, transaction) { bytes += $0 }
      return bytes
    }
    guard let found else { return nil }
    // Other programs can write to the tables. A modified upload is removed and counts as missing.
    guard SyncAttachment(of: found) == attachment else {
      try remove([attachment], user: user)
      return nil
    }
    return found
  }

  func copy(_ attachment: SyncAttachment, user: String, to folder: AttachmentFolder) throws -> Bool
  {
    if try folder.has(attachment) { return true }
    guard let bytes = try bytes(of: attachment, user: user) else { return false }
    try folder.keep(bytes, as: attachment)
    return true
  }

  /// Whether the portions are the attachment. One of them is in memory at a time.
  private static func matches(
    _ attachment: SyncAttachment, _ key: [ColumnValue], _ transaction: any RowReadTransaction
  ) throws -> Bool {
    var name = ContentName()
    try forEachPortion(key, transaction) { bytes in bytes.withUnsafeBytes { name.update($0) } }
    return name.text == attachment.sha256
  }

  /// Calls `body` with the bytes of each portion in the order of their offsets.
  private static func forEachPortion(
    _ key: [ColumnValue], _ transaction: any RowReadTransaction, _ body: ([UInt8]) -> Void
  ) throws {
    let isOfKey = condition(key)
    var starts: [ColumnValue] = []
    try transaction.forEachRow(
      SideTableQuery(portions, ["start"], where: .all(isOfKey)).ordered(by: "start")
    ) { starts.append($0[0]) }
    for start in starts {
      try transaction.forEachRow(
        SideTableQuery(
          portions, ["bytes"], where: .all(isOfKey + [.equal("start", start)]))
      ) { if let bytes = $0[0].bytes { body(bytes) } }
    }
  }

  // MARK: Removing

  func remove(_ attachments: [SyncAttachment], user: String) throws {
    guard !attachments.isEmpty else { return }
    try store.writeSideTables { transaction in
      try Self.remove(attachments.map { Self.key($0, user) }, transaction)
    }
  }

  private static func remove(
    olderThan date: Date, _ transaction: any RowWriteTransaction
  ) throws {
    var keys: [[ColumnValue]] = []
    try transaction.forEachRow(
      SideTableQuery(
        uploads, ["owner", "sha256"],
        where: .less("time", than: .real(date.timeIntervalSinceReferenceDate)))
    ) { keys.append($0) }
    try remove(keys, transaction)
  }

  private static func remove(
    _ keys: [[ColumnValue]], _ transaction: any RowWriteTransaction
  ) throws {
    guard !keys.isEmpty else { return }
    let rows = SideTableRows(["owner", "sha256"], keys)
    try transaction.delete(rows, from: portions)
    try transaction.delete(rows, from: uploads)
  }
}
