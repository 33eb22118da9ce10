import ContentFiles
import Foundation
import TestSupport
import Testing

@Suite("Sizes of files") struct FileSizeTests {
  @Test("are bytes; none where there is no file") func sizes() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "file")
      try Data(count: 12).write(to: file)
      #expect(try FileSize.byteCount(file.path) == 12)
      #expect(try FileSize.byteCount(folder.appending(path: "other").path) == nil)
      #expect(try FileSize.byteCount(file.appending(path: "inside").path) == nil)
    }
  }

  @Test("are errors where a file can't be examined") func unknown() async throws {
    try await withTemporaryFolder { folder in
      let link = folder.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: link)
      #expect(try FileSize.byteCount(link.path) != nil)
      let error = #expect(throws: POSIXError.self) {
        try FileSize.byteCount(link.appending(path: "inside").path)
      }
      #expect(error?.code == .ELOOP)
    }
  }
}
