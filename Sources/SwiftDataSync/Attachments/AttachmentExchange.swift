/// Keeps attachments that are on their way: whole ones, and the beginnings of others.
package protocol AttachmentKeeper: Sendable {
  /// How many bytes of an attachment are there.
  func offset(of attachment: SyncAttachment) throws -> Int
  /// A portion of a whole attachment; nil when it isn't there.
  func portion(of attachment: SyncAttachment, from offset: Int, length: Int) -> [UInt8]?
  /// Adds a portion.
  ///
  /// - Returns: How many bytes are there now; nothing is added when the portion begins elsewhere. 0 when they are all
  ///   there and aren't what the name says.
  func append(_ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int) throws -> Int
}

extension AttachmentFolder: AttachmentKeeper {}

/// Moves attachments between a client and its server in portions. What has arrived stays when a portion fails, here and
/// there, so that the next attempt goes on behind it.
package struct AttachmentExchange: Sendable {
  let transport: any SyncAttachmentTransport
  let folder: any AttachmentKeeper
  let limits: SyncAttachmentLimits
  let client: String
  /// So many attachments are fetched at the same time.
  private static let width = 4

  /// Reads bytes that aren't in the folder: of what, from a place on, how many at most; nil when they aren't there any
  /// more.
  package typealias Source = @Sendable (SyncAttachmentReference, Int, Int) async throws -> [UInt8]?
  /// Told after each portion.
  package typealias Progress = @Sendable (SyncTransfer) async -> Void

  /// What a server hasn't taken before a push.
  package struct Obstacles: Sendable {
    /// Changes whose attachments the server won't have.
    package var refused: [String: SyncRejection] = [:]
    /// Changes whose bytes aren't here any more.
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

  /// Sends what the server lacks.
  ///
  /// - Parameters:
  ///   - references: The attachments of changes, with the changes' ids.
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

  /// - Returns: False when the bytes aren't here any more.
  private func send(
    _ reference: SyncAttachmentReference, from start: Int, _ source: Source, _ progress: Progress
  ) async throws -> Bool {
    let attachment = reference.attachment
    var offset = start
    // Another process may send the same, or the server may have lost what it had; not again and again.
    var detours = 0
    while offset < attachment.byteCount {
      guard (0..<attachment.byteCount).contains(offset), detours < 4 else {
        throw SyncFailure(.server, "The server doesn't get on with an attachment")
      }
      var bytes = folder.portion(of: attachment, from: offset, length: limits.portion)
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

  /// Fetches attachments. What the server doesn't have any more, or has in another form, is left out, and so is what is
  /// too large.
  ///
  /// - Throws: ``SyncFailure`` when nothing more can be fetched now, ``SyncError`` when it can't be kept.
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
    // A server that sends a few bytes at a time isn't asked without end; the next pull goes on behind them.
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
      // Other bytes than promised; the next pull begins anew.
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
  /// Whether another request may well succeed at the same time.
  fileprivate var concernsOneRequest: Bool {
    switch kind {
    case .server, .forbidden, .tooLarge, .refused, .cursorExpired: true
    case .offline, .throttled, .authentication, .incompatible: false
    }
  }
}
