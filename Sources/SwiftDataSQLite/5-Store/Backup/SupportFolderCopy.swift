import ContentFiles
import Foundation

/// Copies what toolkits keep in the folder beside a store, such as attachments that are being transferred: everything
/// but large values, which ``ExternalFiles`` copies, and locks.
struct SupportFolderCopy {
  private let source: String
  private let target: String
  private static let others: Set<String> = ["external", "lock", "readers"]

  init(from source: URL, to target: URL) {
    (self.source, self.target) = (source.path, target.path)
  }

  /// - Parameter copyFile: Copies the file at the first path to the second one, durably.
  func run(by copyFile: (String, String) throws -> Bool) throws {
    guard let names = try Self.names(in: source)?.filter({ !Self.others.contains($0) }),
      !names.isEmpty
    else { return }
    // A user may have moved such a folder to another disk, and made a link in its place.
    try copy(names, from: source, to: target, followsLinks: true, copyFile)
  }

  private func copy(
    _ names: [String], from source: String, to target: String, followsLinks: Bool,
    _ copyFile: (String, String) throws -> Bool
  ) throws {
    try FileManager.default.createDirectory(
      atPath: target, withIntermediateDirectories: true)
    // A linked folder may be the one that the backup is made in.
    for name in names where !(name.hasPrefix(".backup-") && name.hasSuffix(".unfinished")) {
      let (from, to) = (source + "/" + name, target + "/" + name)
      var status = stat()
      // Other processes go on to remove files.
      guard (followsLinks ? stat(from, &status) : lstat(from, &status)) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      // Files are opened without following links.
      case S_IFREG: _ = try copyFile(followsLinks ? StoreLocation.resolved(from) : from, to)
      case S_IFDIR:
        guard let inner = try Self.names(in: from) else { continue }
        try copy(inner, from: from, to: to, followsLinks: false, copyFile)
      default: continue
      }
    }
    try DurableFolder.sync(target)
  }

  /// - Returns: nil when there is no such folder.
  private static func names(in folder: String) throws -> [String]? {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      guard FileManager.default.fileExists(atPath: folder) else { return nil }
      throw error
    }
  }
}
