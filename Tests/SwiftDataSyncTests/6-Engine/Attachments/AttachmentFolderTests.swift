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
      #expect(try !folder.has(attachment))
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
      #expect(try folder.isEmpty)
    }
  }

  @Test func aBeginningWithAllBytesIsMadeAWholeOne() async throws {
    try await withTemporaryFolder { place in
      let folder = AttachmentFolder(place)
      let (whole, other) = (bytes(20_000, 1), bytes(20_000, 2))
      // As a killed process leaves the file: the last portion is written, and the bytes aren't
      // verified.
      try whole.write(to: place.appending(path: attachment(whole).sha256 + ".part"))
      #expect(try !folder.has(attachment(whole)))
      #expect(try folder.offset(of: attachment(whole)) == 20_000)
      #expect(try folder.bytes(of: attachment(whole)) == [UInt8](whole))
      try whole.write(to: place.appending(path: attachment(other).sha256 + ".part"))
      #expect(try folder.offset(of: attachment(other)) == 0)
      #expect(try !folder.has(attachment(other)))
      try folder.remove(attachment(whole))
      #expect(try folder.isEmpty)
    }
  }

  @Test func beginningsOfOneByteAreBoundedToo() async throws {
    try await withTemporaryFolder { place in
      let folder = AttachmentFolder(place)
      for seed in 1...3 {
        _ = try folder.append([0], to: attachment(bytes(20_000, UInt64(seed))), at: 0)
      }
      #expect(try folder.byteCount == 3 * SyncAttachment.threshold)
    }
  }

  @Test func requiredFilesAreNeverSwept() async throws {
    try await withTemporaryFolder { place in
      let folder = AttachmentFolder(place)
      let (one, other) = (bytes(20_000, 1), bytes(20_000, 2))
      for data in [one, other] { try folder.keep([UInt8](data), as: attachment(data)) }
      try folder.sweep(keeping: [attachment(one).sha256], partsSince: .now)
      #expect(try folder.has(attachment(one)))
      #expect(try !folder.has(attachment(other)))
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

  /// Uses of a folder, none of which may take a folder that can't be examined for an empty one.
  enum Use: CaseIterable {
    case has, bytes, portion, offset, append, keep, keepFile, take, remove, isEmpty, byteCount
    case sweepUnwanted, sweepOld

    func run(_ folder: AttachmentFolder, _ data: [UInt8], file: URL) throws {
      let attachment = SyncAttachment(of: data)
      switch self {
      case .has: _ = try folder.has(attachment)
      case .bytes: _ = try folder.bytes(of: attachment)
      case .portion: _ = try folder.portion(of: attachment, from: 0, length: 1)
      case .offset: _ = try folder.offset(of: attachment)
      case .append: _ = try folder.append([1], to: attachment, at: 0)
      case .keep: try folder.keep(data, as: attachment)
      case .keepFile: try folder.keep(file, as: attachment)
      case .take:
        try AttachmentFolder(file.deletingLastPathComponent()).take(attachment, from: folder)
      case .remove: try folder.remove(attachment)
      case .isEmpty: _ = try folder.isEmpty
      case .byteCount: _ = try folder.byteCount
      case .sweepUnwanted: try folder.sweep(keeping: [], partsSince: .now)
      case .sweepOld: try folder.sweep(olderThan: .now)
      }
    }
  }

  /// The folder is a symbolic link to itself, which nobody can follow, not even the superuser.
  @Test(arguments: Use.allCases) func aFolderThatCannotBeReadIsAnErrorWithItsPath(_ use: Use)
    async throws
  {
    try await withTemporaryFolder { place in
      let (data, link) = (bytes(20_000), place.appending(path: "sync"))
      let file = place.appending(path: attachment(data).sha256)
      try data.write(to: file)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: link)
      let error = #expect(throws: SyncError.self) {
        try use.run(AttachmentFolder(link), [UInt8](data), file: file)
      }
      #expect(error?.code == .attachmentFolder)
      #expect(error?.description.contains(link.path) ?? false)
    }
  }

  @Test(arguments: Use.allCases) func aFolderThatDoesNotExistIsEmpty(_ use: Use) async throws {
    try await withTemporaryFolder { place in
      let data = bytes(20_000)
      let file = place.appending(path: attachment(data).sha256)
      try data.write(to: file)
      let folder = AttachmentFolder(place.appending(path: "sync"))
      #expect(throws: Never.self) { try use.run(folder, [UInt8](data), file: file) }
    }
  }
}
