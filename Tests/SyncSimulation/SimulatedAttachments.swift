import Foundation
import SwiftDataSync
import Synchronization

/// The large values of a simulation: only a few, so that several objects have the same bytes.
enum SimulatedPhotos {
  static let all: [(attachment: SyncAttachment, data: Data)] = (0..<6).map { number in
    let data = bytes(SyncAttachment.threshold + 1 + 1_000 * number, UInt64(number) + 1)
    return (SyncAttachment(of: data), data)
  }

  /// Returns the bytes that a value stands for.
  static func data(_ value: SyncValue?) -> Data? {
    value.flatMap { value in all.first { $0.attachment.value == value }?.data }
  }

  /// Returns the value that stands for bytes; nil for bytes that aren't a photo's.
  static func value(_ data: some Collection<UInt8>) -> SyncValue? {
    // The numbers of bytes differ, too, and in a build for debugging it takes long to compare bytes.
    all.first { $0.data.count == data.count && $0.data == Data(data) }?.attachment.value
  }

  static func attachment(_ values: SyncValues?) -> SyncAttachment? {
    values?["photo"].flatMap(SyncAttachment.init)
  }
}

/// Incomplete and complete attachments, in memory; they survive a kill. Like ``AttachmentFolder``, it doesn't accept
/// bytes as complete unless they match their name.
final class SimulatedFolder: AttachmentKeeper {
  private let state = Mutex<[SyncAttachment: [UInt8]]>([:])

  func bytes(of attachment: SyncAttachment) -> [UInt8]? {
    state.withLock { $0[attachment] }.flatMap { $0.count == attachment.byteCount ? $0 : nil }
  }

  func has(_ attachment: SyncAttachment) -> Bool { bytes(of: attachment) != nil }
  func keep(_ bytes: [UInt8], as attachment: SyncAttachment) {
    state.withLock { $0[attachment] = bytes }
  }
  func remove(_ attachment: SyncAttachment) { state.withLock { $0[attachment] = nil } }

  /// The number of complete attachments.
  var count: Int { state.withLock { $0.count { $0.value.count == $0.key.byteCount } } }

  /// Removes complete attachments that aren't required; incomplete ones stay.
  func sweep(keeping wanted: Set<SyncAttachment>) {
    state.withLock { files in
      files = files.filter { wanted.contains($0.key) || $0.value.count < $0.key.byteCount }
    }
  }

  func offset(of attachment: SyncAttachment) -> Int {
    state.withLock { $0[attachment]?.count ?? 0 }
  }

  func portion(of attachment: SyncAttachment, from offset: Int, length: Int) -> [UInt8]? {
    bytes(of: attachment).map { Array($0.dropFirst(offset).prefix(length)) }
  }

  func append(_ bytes: [UInt8], to attachment: SyncAttachment, at offset: Int) -> Int {
    state.withLock { files in
      let present = files[attachment] ?? []
      guard present.count == offset, present.count < attachment.byteCount else {
        return present.count
      }
      let whole = present + bytes
      guard whole.count < attachment.byteCount || SyncAttachment(of: whole) == attachment else {
        files[attachment] = nil
        return 0
      }
      files[attachment] = whole
      return whole.count
    }
  }
}

/// The connection of a replica's process to the server.
struct SimulatedLine: SyncAttachmentTransport {
  let replica: SimulatedReplica

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    try await replica.ask { try $0.push(changes, client: client) }
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    try await replica.ask { try $0.pull(after: cursor, limit: 5) }
  }

  func missing(
    _ references: [SyncAttachmentReference], client: String
  ) async throws -> [SyncAttachment: Int] {
    try await replica.ask { $0.missing(references) }
  }

  func upload(
    _ bytes: [UInt8], of attachment: SyncAttachment, at offset: Int, client: String
  ) async throws -> Int {
    try await replica.ask { $0.upload(bytes, of: attachment, at: offset) }
  }

  func download(
    _ reference: SyncAttachmentReference, from offset: Int, length: Int, client: String
  ) async throws -> [UInt8]? {
    try await replica.ask { $0.download(reference, from: offset, length: length) }
  }
}
