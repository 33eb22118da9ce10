import Foundation
import SwiftDataSync
import TestSupport

/// Attachments of sync, one per step: whole ones as a device keeps them, files that it links, and portions as a server
/// receives them. A server has confirmed an attachment, so that its client needn't keep it.
struct AttachmentWorkload: Workload {
  let name = "attachments"
  private let steps = 12

  func prepare(in folder: URL) throws {}

  private func place(_ folder: URL) -> AttachmentFolder {
    AttachmentFolder(folder.appending(path: ".test.store_SUPPORT/attachments/ann"))
  }

  private static func bytes(_ step: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(spreading: seed &+ UInt64(step) &* 1_000_003)
    let count = Int.random(in: 1...30_000, using: &generator)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Writes the bytes of a large value of the store, and syncs the file to the disk.
  private static func write(_ bytes: [UInt8], to file: URL) throws {
    func write() throws {
      try Data(bytes).write(to: file)
      let handle = try FileHandle(forUpdating: file)
      defer { try? handle.close() }
      try handle.synchronize()
    }
    // A refused call here isn't a failure of the attachments.
    do { try write() } catch { try write() }
  }

  func run(_ run: Run) throws {
    let place = place(run.folder)
    for step in run.steps(steps) {
      let bytes = Self.bytes(step, seed: run.seed)
      let attachment = SyncAttachment(of: bytes)
      try run.step(step) {
        switch (step + Int(run.seed % 3)) % 3 {
        case 0: try place.keep(bytes, as: attachment)
        case 1:
          let source = run.folder.appending(path: "source-\(step)")
          try Self.write(bytes, to: source)
          try place.keep(source, as: attachment)
        default:
          var offset = try place.append([], to: attachment, at: 0)
          while offset < bytes.count {
            let portion = Array(bytes[offset..<min(bytes.count, offset + 9_000)])
            offset = try place.append(portion, to: attachment, at: offset)
          }
        }
      }
      guard try place.bytes(of: attachment) == bytes else {
        throw Finding("the attachment of step \(step) isn't what was kept")
      }
    }
  }

  func check(_ folder: URL, seed: UInt64, allowed: ClosedRange<Int>) throws -> Int {
    let place = place(folder)
    var last = 0
    for step in 1...steps {
      let bytes = Self.bytes(step, seed: seed)
      guard let found = try place.bytes(of: SyncAttachment(of: bytes)) else { break }
      guard found == bytes else { throw Finding("the attachment of step \(step) is another one") }
      last = step
    }
    guard allowed.contains(last) else {
      throw Finding("\(last) attachments are there, not one of \(allowed)")
    }
    // The folder remains usable. This attachment isn't counted if the power fails again.
    let bytes = Self.bytes(steps + 1, seed: seed)
    let attachment = SyncAttachment(of: bytes)
    try place.keep(bytes, as: attachment)
    guard try place.bytes(of: attachment) == bytes else {
      throw Finding("an attachment can't be kept after step \(last)")
    }
    return last
  }
}
