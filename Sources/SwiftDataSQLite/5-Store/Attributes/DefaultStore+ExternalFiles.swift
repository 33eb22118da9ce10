import Foundation

extension DefaultStore {
  /// The file of a large value.
  ///
  /// - Parameter name: The content of the cell: the SHA-256 of the bytes.
  /// - Returns: nil for any other text, and for a store that keeps large values in its rows. Whether the file exists
  ///   shows only when it is opened; it is removed when no row names it any more.
  package func externalFile(named name: String) -> URL? {
    guard let files = attributes.files, ContentName.isName(name) else { return nil }
    return files.folder.appending(path: name)
  }
}
