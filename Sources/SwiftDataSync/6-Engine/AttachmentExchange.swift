/// Stores attachments that are being transferred: complete ones and partial ones.
package protocol AttachmentKeeper: Sendable {
  /// Returns the number of stored bytes of an attachment.
  func offset(of attachment: SyncAttachment) throws -> Int
  /// Returns a portion of a complete attachment; nil when the attachment isn't stored.
  func portion(
    of attachment: SyncAttachment, from offset: Int, length: Int
  ) throws -> [UInt8]?
  /// Appends a portion.
  ///
  /// - Returns: The number of stored bytes; nothing is appended when the portion starts at another offset. 0 when all
  ///   bytes are present and don't match the attachment's hash.
  func append(_ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int) throws -> Int
}

extension AttachmentFolder: AttachmentKeeper {}
extension FetchedAttachments: AttachmentKeeper {}

/// Transfers attachments between a client and its server in portions. Portions that have arrived are kept on both sides
/// when a later portion fails, so that the next attempt continues after them.
package struct AttachmentExchange: Sendable {
  let transport: any SyncAttachmentTransport
  let folder: any AttachmentKeeper
  let limits: SyncAttachmentLimits
  let client: String
  /// The number of attachments that are fetched at the same time.
  private static let width = 4

  /// Reads bytes that aren't in the folder. The parameters are the attachment, the offset and the maximum number of
  /// bytes; the result is nil when the bytes no longer exist.
  package typealias Source = @Sendable (SyncAttachmentReference, Int, Int) async throws -> [UInt8]?
  /// Called after each portion.
  package typealias Progress = @Sendable (SyncTransfer) async -> Void

  /// The changes that can't be pushed because of their attachments.
  package struct Obstacles: Sendable {
    /// Changes whose attachments the server rejects.
    package var refused: [String: SyncRejection] = [:]
    /// Changes whose bytes no longer exist locally.
    package var lost: Set<String> = []

    package init() {}
  }

  package init(
    transport: any SyncAttachmentTransport, folder: any AttachmentKeeper,
    limits: SyncAttachmentLimits, client: String
  ) {
    self.transport = transport
    self.folder = folder
    self.limits = limits
    self.client = client
  }

  // MARK: Sending

  /// Sends the attachments that the server lacks.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes, with the IDs of the changes.
  /// - Throws: ``SyncFailure`` when no more can be sent now.
  package func send(
    _ references: [(change: String, reference: SyncAttachmentReference)],
    from source: Source, progress: Progress
  ) async throws -> Obstacles {
    var obstacles = Obstacles()
    let missing = try await transport.missing(references.map(\.reference), client: client)
    for (change, reference) in references {
      guard let offset = missing[reference.attachment], obstacles.refused[change] == nil else {
        continue
      }
      do {
        guard try await send(reference, from: offset, source, progress) else {
          obstacles.lost.insert(change)
          continue
        }
      } catch let failure as SyncFailure where failure.kind == .tooLarge || failure.kind == .refused
      {
        obstacles.refused[change] = SyncRejection(
          code: failure.kind == .tooLarge ? "attachmentTooLarge" : "attachmentRefused",
          message: failure.message)
      }
    }
    return obstacles
  }

  /// - Returns: False when the bytes no longer exist locally.
  private func send(
    _ reference: SyncAttachmentReference, from start: Int, _ source: Source, _ progress: Progress
  ) async throws -> Bool {
    let attachment = reference.attachment
    var offset = start
    // Another process may send the same attachment, or the server may have lost its bytes; the number of restarts is
    // limited.
    var detours = 0
    while offset < attachment.byteCount {
      guard (0..<attachment.byteCount).contains(offset), detours < 4 else {
        throw SyncFailure(.server, "The server doesn't get on with an attachment")
      }
      var bytes = try folder.portion(of: attachment, from: offset, length: limits.portion)
      if bytes == nil { bytes = try await source(reference, offset, limits.portion) }
      guard let bytes, !bytes.isEmpty else { return false }
      let next = try await transport.upload(bytes, of: attachment, at: offset, client: client)
      if next != offset + bytes.count { detours += 1 }
      offset = next
      await progress(
        SyncTransfer(
          object: reference.object, property: reference.property, isUpload: true,
          byteCount: attachment.byteCount, completed: min(offset, attachment.byteCount)))
    }
    return true
  }

  // MARK: Fetching

  /// Fetches attachments. Skips attachments that the server no longer has, or has with other bytes, and attachments
  /// that are too large.
  ///
  /// - Throws: ``SyncFailure`` when no more attachments can be fetched now, ``SyncError`` when one can't be stored.
  package func fetch(
    _ references: [SyncAttachmentReference], progress: @escaping Progress
  ) async throws {
    var seen: Set<SyncAttachment> = []
    let wanted = references.filter {
      $0.attachment.byteCount <= limits.maximumByteCount && seen.insert($0.attachment).inserted
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, reference) in wanted.enumerated() {
        if number >= Self.width { try await group.next() }
        group.addTask { try await fetch(reference, progress) }
      }
      try await group.waitForAll()
    }
  }

  private func fetch(
    _ reference: SyncAttachmentReference, _ progress: Progress
  ) async throws {
    let attachment = reference.attachment
    var offset = try folder.offset(of: attachment)
    // A server that sends only a few bytes at a time isn't asked endlessly; the next pull continues after them.
    var portions = 4 * (attachment.byteCount / max(1, limits.portion)) + 64
    while offset < attachment.byteCount {
      portions -= 1
      guard portions >= 0 else { return }
      let bytes: [UInt8]?
      do {
        bytes = try await transport.download(
          reference, from: offset,
          length: min(limits.portion, attachment.byteCount - offset), client: client)
      } catch let failure as SyncFailure where failure.concernsOneRequest { return }
      guard let bytes, !bytes.isEmpty else { return }
      let next = try folder.append(bytes, to: attachment, at: offset)
      // The bytes don't match the hash; the next pull starts again.
      guard next > offset else { return }
      offset = next
      await progress(
        SyncTransfer(
          object: reference.object, property: reference.property, isUpload: false,
          byteCount: attachment.byteCount, completed: offset))
    }
  }
}

extension SyncFailure {
  /// Whether another request may still succeed at the same time.
  fileprivate var concernsOneRequest: Bool {
    switch kind {
    case .server, .forbidden, .tooLarge, .refused, .cursorExpired: true
    case .offline, .throttled, .authentication, .incompatible, .suspended, .localStore: false
    }
  }
}
