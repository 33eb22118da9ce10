import Foundation
import SyncSimulation
import TestSupport
import Testing

@testable import SwiftDataSync

@Suite struct AttachmentFolderTests {
  private func attachment(_ data: Data) -> SyncAttachment { SyncAttachment(of: [UInt8](data)) }

  @Test func aChangedFileCountsAsMissing() async throws {
    try await withTemporaryFolder { place in
      let folder = AttachmentFolder(place.appending(path: "sync"))
      let data = bytes(20_000)
      let attachment = attachment(data)
      #expect(try folder.bytes(of: attachment) == nil)
      try folder.keep([UInt8](data), as: attachment)
      #expect(try folder.bytes(of: attachment) == [UInt8](data))
      try Data(repeating: 7, count: 20_000).write(
        to: place.appending(path: "sync/\(attachment.sha256)"))
      #expect(try folder.bytes(of: attachment) == nil)
      #expect(!folder.has(attachment))
    }
  }

  @Test func beginningsSurviveAndAreSweptWhenTheyAreOld() async throws {
    try await withTemporaryFolder { place in
      let data = bytes(20_000)
      let attachment = attachment(data)
      _ = try AttachmentFolder(place).append([UInt8](data.prefix(5_000)), to: attachment, at: 0)
      let folder = AttachmentFolder(place)
      #expect(try folder.offset(of: attachment) == 5_000)
      try folder.sweep(keeping: [], partsSince: Date.now.addingTimeInterval(-60))
      #expect(try folder.offset(of: attachment) == 5_000)
      try folder.sweep(keeping: [], partsSince: Date.now.addingTimeInterval(60))
      #expect(try folder.offset(of: attachment) == 0)
      #expect(folder.isEmpty)
    }
  }

  @Test func aBeginningWithAllBytesIsMadeAWholeOne() async throws {
    try await withTemporaryFolder { place in
      let folder = AttachmentFolder(place)
      let (whole, other) = (bytes(20_000, 1), bytes(20_000, 2))
      // As a killed process leaves the file: the last portion is written, and the bytes aren't
      // verified.
      try whole.write(to: place.appending(path: attachment(whole).sha256 + ".part"))
      #expect(!folder.has(attachment(whole)))
      #expect(try folder.offset(of: attachment(whole)) == 20_000)
      #expect(try folder.bytes(of: attachment(whole)) == [UInt8](whole))
      try whole.write(to: place.appending(path: attachment(other).sha256 + ".part"))
      #expect(try folder.offset(of: attachment(other)) == 0)
      #expect(!folder.has(attachment(other)))
      try folder.remove(attachment(whole))
      #expect(folder.isEmpty)
    }
  }

  @Test func beginningsOfOneByteAreBoundedToo() async throws {
    try await withTemporaryFolder { place in
      let folder = AttachmentFolder(place)
      for seed in 1...3 {
        _ = try folder.append([0], to: attachment(bytes(20_000, UInt64(seed))), at: 0)
      }
      #expect(folder.byteCount == 3 * SyncAttachment.threshold)
    }
  }

  @Test func requiredFilesAreNeverSwept() async throws {
    try await withTemporaryFolder { place in
      let folder = AttachmentFolder(place)
      let (one, other) = (bytes(20_000, 1), bytes(20_000, 2))
      for data in [one, other] { try folder.keep([UInt8](data), as: attachment(data)) }
      try folder.sweep(keeping: [attachment(one).sha256], partsSince: .now)
      #expect(folder.has(attachment(one)))
      #expect(!folder.has(attachment(other)))
    }
  }

  @Test func aFolderThatCannotBeCreatedIsAnErrorWithItsPath() async throws {
    try await withTemporaryFolder { place in
      let file = place.appending(path: "file")
      try Data().write(to: file)
      let data = bytes(20_000)
      let error = #expect(throws: SyncError.self) {
        try AttachmentFolder(file).keep([UInt8](data), as: attachment(data))
      }
      #expect(error?.code == .attachmentFolder)
      #expect(error?.description.contains(file.path) ?? false)
    }
  }
}
