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

  @Test("The service worker names the files, and changes with any of them")
  func worker() throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("index.html", "<!doctype html>")
    _ = try folder.file("app.css", "a {}")
    _ = try folder.file("service-worker.js", "use(FILES);")
    func text() throws -> String {
      let files = try StaticFiles(web: folder.url, vendor: folder.file("none"))
      return String(decoding: try #require(files.answer("/service-worker.js")).plain, as: UTF8.self)
    }
    let before = try text()
    #expect(before.hasPrefix("const VERSION = \""))
    #expect(before.hasSuffix("use(FILES);"))
    #expect(before.contains(#""/app.css":"#) && before.contains(#""/":"#))
    #expect(!before.contains("index.html") && !before.contains("service-worker"))
    #expect(try text() == before)
    _ = try folder.file("app.css", "b {}")
    #expect(try text() != before)
  }
}
