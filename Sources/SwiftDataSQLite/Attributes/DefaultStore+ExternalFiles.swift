import Foundation

extension DefaultStore {
  /// The file that has a large value.
  ///
  /// - Parameter name: What stands in the row: the SHA-256 of the bytes.
  /// - Returns: nil for anything else, and for a store that keeps large values in its rows. Whether the file is there is
  ///   seen when it is opened; it goes when no row names it any more.
  package func externalFile(named name: String) -> URL? {
    guard let files = attributes.files, ExternalFiles.isName(name) else { return nil }
    return files.folder.appending(path: name)
  }
}
