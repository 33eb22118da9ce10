import ContentFiles
import Foundation
import Testing

@Suite struct AdvisoryLockTests {
  private let path = FileManager.default.temporaryDirectory.appending(
    path: "OpenSwiftData-\(UUID().uuidString)"
  ).path

  /// Calls `body` with two descriptors of one file.
  private func withTwo(_ body: (Int32, Int32) throws -> Void) throws {
    let descriptors = (0..<2).map { _ in open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    defer {
      for descriptor in descriptors { close(descriptor) }
      unlink(path)
    }
    try #require(descriptors.allSatisfy { $0 >= 0 })
    try body(descriptors[0], descriptors[1])
  }

  @Test func anExclusiveLockKeepsOthersOut() throws {
    try withTwo { first, second in
      #expect(AdvisoryLock.take(.exclusive, first))
      for kind in [AdvisoryLock.Kind.shared, .exclusive] {
        #expect(!AdvisoryLock.take(kind, second, waits: false))
        #expect(errno == EWOULDBLOCK)
      }
      AdvisoryLock.release(first)
      #expect(AdvisoryLock.take(.exclusive, second, waits: false))
    }
  }

  @Test func sharedLocksKeepOnlyExclusiveOnesOut() throws {
    try withTwo { first, second in
      #expect(AdvisoryLock.take(.shared, first))
      #expect(AdvisoryLock.take(.shared, second, waits: false))
      #expect(!AdvisoryLock.take(.exclusive, first, waits: false))
      AdvisoryLock.release(second)
      // The failed attempt may have ended the first lock.
      #expect(AdvisoryLock.take(.exclusive, first, waits: false))
      #expect(AdvisoryLock.take(.shared, first, waits: false))
      #expect(AdvisoryLock.take(.shared, second, waits: false))
    }
  }

  @Test func aClosedDescriptorFails() {
    #expect(!AdvisoryLock.take(.shared, -1))
    #expect(errno == EBADF)
    #expect(!FileSync.sync(-1))
    #expect(errno == EBADF)
  }

  @Test func filesAndFoldersAreSynced() throws {
    try withTwo { first, _ in
      #expect(FileSync.sync(first))
      let folder = open(
        FileManager.default.temporaryDirectory.path, O_RDONLY | O_CLOEXEC)
      defer { close(folder) }
      #expect(FileSync.sync(folder))
    }
  }
}
