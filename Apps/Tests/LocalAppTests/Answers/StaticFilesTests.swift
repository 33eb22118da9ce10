import Foundation
import HTTPContent
import LocalApp
import Testing
import WireFormats

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

  @Test("A file is compressed when it is first needed, once for all answers")
  func compression() throws {
    let folder = try TemporaryFolder()
    let text = String(repeating: "<p>Page</p>", count: 200)
    _ = try folder.file("index.html", text)
    _ = try folder.file("icon.png", text)
    let files = try StaticFiles(web: folder.url, vendor: folder.file("none"))
    let form = try #require(files.answer("/index.html")?.gzipped)
    #expect(!form.isMade)
    let bytes = try form.bytes()
    #expect(form.isMade && files.answer("/")?.gzipped?.isMade == true)
    #expect(try bytes.count < text.utf8.count / 10 && form.bytes() == bytes)
    #expect(try GzipDecoder.expand(bytes, limit: 10_000) == Array(text.utf8))
    #expect(files.answer("/icon.png")?.gzipped == nil)
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

  /// A page with a file of its modules; the list of entity tags is as `scripts/bundle-modules.py` makes it.
  private func bundled(_ folder: TemporaryFolder) throws {
    _ = try folder.file("index.html", "separate")
    _ = try folder.file("service-worker.js", "")
    for name in ["js", "bundle"] {
      try FileManager.default.createDirectory(
        at: folder.file(name), withIntermediateDirectories: true)
    }
    _ = try folder.file("js/app.js", "app")
    _ = try folder.file("bundle/main.js", "all")
    _ = try folder.file("bundle/index.html", "one")
    var tags: [String: String] = [:]
    for (path, text) in [
      "/index.html": "separate", "/js/app.js": "app", "/bundle/main.js": "all",
      "/bundle/index.html": "one",
    ] {
      var hash = ContentHash()
      hash.combine(text.utf8)
      tags[path] = hash.entityTag
    }
    _ = try folder.file(
      "bundle/tags.json", String(decoding: JSONEncoder().encode(tags), as: UTF8.self))
  }

  private func page(_ files: StaticFiles, _ path: String = "/") -> String? {
    files.answer(path).map { String(decoding: $0.plain, as: UTF8.self) }
  }

  @Test("A file of all modules is used, and kept by the service worker, beside the modules")
  func bundle() throws {
    let folder = try TemporaryFolder()
    try bundled(folder)
    let files = try StaticFiles(web: folder.url, vendor: folder.file("none"))
    #expect(page(files) == "one" && page(files, "/index.html") == "separate")
    #expect(page(files, "/bundle/main.js") == "all" && page(files, "/js/app.js") == "app")
    #expect(files.answer("/bundle/index.html") == nil && files.answer("/bundle/tags.json") == nil)
    let worker = try #require(page(files, "/service-worker.js"))
    #expect(worker.contains(#""/bundle/main.js":"#) && worker.contains(#""/js/app.js":"#))
    #expect(!worker.contains("index.html") && !worker.contains("tags.json"))
  }

  @Test(
    "A file of modules that were others, or that is incomplete, is not used",
    arguments: [
      ("js/app.js", "later"), ("js/app.js", nil), ("index.html", "later"),
      ("bundle/main.js", "cut"), ("bundle/main.js", nil), ("bundle/index.html", "cut"),
      ("bundle/index.html", nil), ("bundle/tags.json", nil), ("bundle/tags.json", "{"),
      ("bundle/tags.json", "{}"), ("bundle/tags.json", "[1]"),
    ] as [(String, String?)])
  func staleBundle(_ file: String, _ text: String?) throws {
    let folder = try TemporaryFolder()
    try bundled(folder)
    if let text {
      _ = try folder.file(file, text)
    } else {
      try FileManager.default.removeItem(at: folder.file(file))
    }
    let files = try StaticFiles(web: folder.url, vendor: folder.file("none"))
    #expect(page(files) == (file == "index.html" ? "later" : "separate"))
    #expect(files.answer("/bundle/main.js") == nil)
    #expect(try !#require(page(files, "/service-worker.js")).contains("bundle"))
  }
}
