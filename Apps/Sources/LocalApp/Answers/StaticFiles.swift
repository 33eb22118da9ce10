import Foundation
import HTTPContent
import WireFormats

/// The page's files, read once when the server starts. Requests are answered from this table by
/// their exact path, so no request can reach any other file.
package struct StaticFiles: Sendable {
  /// The maximum size of a file, in bytes.
  package static let maximumSize = 16 * 1_024 * 1_024

  private var answers: [String: WebAnswer] = [:]

  /// Whether the map's library is installed.
  package var hasMap: Bool {
    answers["/vendor/maplibre-gl.js"] != nil && answers["/vendor/maplibre-gl.css"] != nil
  }

  /// Reads the page's files.
  /// - Parameters:
  ///   - web: The folder whose files appear at `/`.
  ///   - shared: The folder of files that several pages share; they also appear at `/`, unless
  ///     `web` has a file of the same name.
  ///   - vendor: The folder of installed libraries, whose files appear at `/vendor/`; may be
  ///     missing.
  ///   - made: Texts of files that the program makes, by path, such as `/js/names.js`.
  /// - Throws: ``LocalAppError`` when a file cannot be read, or the page is missing.
  package init(
    web: URL, shared: URL? = nil, vendor: URL, made: [String: String] = [:]
  ) throws {
    if let shared { try add(shared, at: "/") }
    try add(web, at: "/")
    if FileManager.default.fileExists(atPath: vendor.path) { try add(vendor, at: "/vendor/") }
    for (path, text) in made {
      guard let type = Self.types[String(path.split(separator: ".").last ?? "")] else {
        throw LocalAppError(path, reason: "the type of a file with this ending isn't known")
      }
      answers[path] = Self.answer([UInt8](text.utf8), type)
    }
    guard let index = answers["/index.html"] else {
      throw LocalAppError(web.path, reason: "the page's files are missing: no index.html")
    }
    answers["/"] = takeBundle() ?? index
    addWorker()
  }

  /// The folder that `scripts/bundle-modules.py` writes.
  private static let bundle = "/bundle/"

  /// Returns the page that loads its modules as one file, when that was made from the present modules and page; else
  /// removes the file. The list of entity tags and the page have no addresses of their own.
  private mutating func takeBundle() -> WebAnswer? {
    let page = answers[Self.bundle + "index.html"]
    let tags = answers[Self.bundle + "tags.json"].flatMap {
      try? JSONDecoder().decode([String: String].self, from: Data($0.plain))
    }
    let isPresent =
      tags.map { tags in
        [Self.bundle + "index.html", Self.bundle + "main.js"].allSatisfy { tags[$0] != nil }
          && tags.allSatisfy { answers[$0.key]?.entityTag == $0.value }
      } ?? false
    answers = answers.filter {
      !$0.key.hasPrefix(Self.bundle) || (isPresent && $0.key == Self.bundle + "main.js")
    }
    return isPresent ? page : nil
  }

  /// The path of the service worker, which keeps the other files in the browser.
  private static let worker = "/service-worker.js"

  /// Puts the files' paths and entity tags before the service worker: another version of any file makes the browser
  /// take the worker anew.
  private mutating func addWorker() {
    guard let script = answers[Self.worker] else { return }
    let kept = answers.filter { $0.key != Self.worker && $0.key != "/index.html" }
      .sorted { $0.key < $1.key }
    var version = ContentHash()
    var json = JSONWriter()
    json.raw("{")
    for (index, (path, answer)) in kept.enumerated() {
      if index > 0 { json.raw(",") }
      json.string(path)
      json.raw(":")
      json.string(answer.entityTag)
      version.combine(Array(path.utf8) + Array((answer.entityTag ?? "").utf8))
    }
    json.raw("}")
    let name = version.entityTag.filter { $0 != "\"" }
    let bytes =
      Array("const VERSION = \"\(name)\";\nconst FILES = ".utf8) + json.bytes + Array(";\n".utf8)
      + script.plain
    var hash = ContentHash()
    hash.combine(bytes)
    answers[Self.worker] = WebAnswer(
      contentType: script.contentType, plain: bytes, entityTag: hash.entityTag)
  }

  /// Returns the files that belong to a program, and those that all pages share.
  /// - Parameters:
  ///   - page: The bundle of the program, with a folder `web`.
  ///   - made: Texts of files that the program makes, by path.
  package static func bundled(
    _ page: Bundle, made: [String: String] = [:]
  ) throws -> StaticFiles {
    let shared = Bundle.module.bundleURL
    return try StaticFiles(
      web: page.bundleURL.appendingPathComponent("web"),
      shared: shared.appendingPathComponent("web"),
      vendor: shared.appendingPathComponent("vendor"), made: made)
  }

  /// Returns the answer for a path; `nil` when there is no such file.
  package func answer(_ path: String) -> WebAnswer? { answers[path] }

  private mutating func add(_ folder: URL, at prefix: String) throws {
    let root = folder.standardizedFileURL.resolvingSymlinksInPath().path
    guard
      let files = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: [.isRegularFileKey, .fileSizeKey],
        options: [.skipsHiddenFiles])
    else {
      throw LocalAppError(folder.path, reason: "cannot read the page's files")
    }
    for case let file as URL in files {
      let facts = try file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
      guard facts.isRegularFile == true, let type = Self.types[file.pathExtension],
        facts.fileSize ?? 0 <= Self.maximumSize
      else { continue }
      let path = file.standardizedFileURL.resolvingSymlinksInPath().path
      guard path.hasPrefix(root + "/") else { continue }
      answers[prefix + path.dropFirst(root.count + 1)] = try Self.answer(file, type)
    }
  }

  private static func answer(_ file: URL, _ type: FileType) throws -> WebAnswer {
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: file))
    } catch {
      throw LocalAppError(file.path, reason: error.localizedDescription)
    }
    return answer(bytes, type)
  }

  private static func answer(_ bytes: [UInt8], _ type: FileType) -> WebAnswer {
    var hash = ContentHash()
    hash.combine(bytes)
    return WebAnswer(
      contentType: type.name, plain: bytes,
      gzipped: type.compresses ? GzippedForm(of: bytes) : nil,
      compresses: type.compresses, entityTag: hash.entityTag)
  }

  private struct FileType {
    var name: String
    var compresses = true
  }

  /// The types of the files that are served; other files are not.
  private static let types: [String: FileType] = [
    "html": FileType(name: "text/html; charset=utf-8"),
    "css": FileType(name: "text/css; charset=utf-8"),
    "js": FileType(name: "text/javascript; charset=utf-8"),
    "mjs": FileType(name: "text/javascript; charset=utf-8"),
    "json": FileType(name: "application/json; charset=utf-8"),
    "svg": FileType(name: "image/svg+xml"),
    "webmanifest": FileType(name: "application/manifest+json"),
    "png": FileType(name: "image/png", compresses: false),
    "woff2": FileType(name: "font/woff2", compresses: false),
  ]
}
