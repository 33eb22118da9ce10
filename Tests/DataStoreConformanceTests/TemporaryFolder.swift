import Foundation

/// A folder for the files of one test, removed when the test releases it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "datastore-tests-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch {
      print("The folder \(url.path) couldn't be removed: \(error)")
    }
  }

  /// Returns a file name that no other call returned.
  func newFile(_ ending: String) -> URL { url.appending(path: "\(UUID().uuidString).\(ending)") }
}
