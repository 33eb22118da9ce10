import Foundation
import LocalApp
import Testing

@testable import TestSupport

@Suite("The files of a page")
struct StaticFilesTests {
  @Test("A missing folder of installed libraries only means that there is no map")
  func noVendor() throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("index.html", "<!doctype html>")
    try FileManager.default.createSymbolicLink(
      at: folder.file("secret.html"),
      withDestinationURL: URL(fileURLWithPath: "/etc/hostname"))
    let files = try StaticFiles(web: folder.url, vendor: folder.file("none"))
    #expect(!files.hasMap)
    #expect(files.answer("/") != nil && files.answer("/index.html") != nil)
    #expect(files.answer("/secret.html") == nil)
    #expect(throws: (any Error).self) {
      try StaticFiles(web: folder.file("none"), vendor: folder.file("none"))
    }
  }
}
