import Foundation

/// The code listings of the documents beside the project (`../shared/seeds`), read when the tests run.
struct SeedListings {
  let listings: [String]

  /// The folder beside the project's root; nil on a machine without it.
  static let folder: URL? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.deletingLastPathComponent().appending(path: "shared/seeds")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  /// Reads the fenced blocks, in order, of the document whose name begins with `prefix`.
  init(document prefix: String, in folder: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let file = files.first { $0.lastPathComponent.hasPrefix(prefix) }
    let text = try String(contentsOf: file ?? folder, encoding: .utf8)
    var listings: [String] = []
    var current: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      // A fence may follow a sentence or a list item, and may be indented.
      guard let fence = line.range(of: "```") else {
        current?.append(line)
        continue
      }
      if let lines = current {
        listings.append(lines.joined(separator: "\n"))
        current = nil
      } else if !line[fence.upperBound...].contains("```") {
        current = []
      }
    }
    self.listings = listings
  }

  /// Returns the first listing that contains `text`, unchanged.
  func listing(with text: String) throws -> String {
    struct Missing: Error { let text: String }
    guard let listing = listings.first(where: { $0.contains(text) }) else {
      throw Missing(text: text)
    }
    return listing
  }
}
