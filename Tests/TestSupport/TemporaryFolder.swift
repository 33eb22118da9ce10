import Foundation

/// A folder for the files of one test, removed when the test releases it.
package final class TemporaryFolder: Sendable {
  package let url: URL

  /// - Parameters:
  ///   - name: The beginning of the folder's name.
  ///   - parent: An existing folder.
  package init(
    _ name: String = "test", in parent: URL = FileManager.default.temporaryDirectory
  ) throws {
    url = parent.appending(path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch {
      print("The folder \(url.path) couldn't be removed: \(error)")
    }
  }

  /// The system's folder in memory if it has a writable one, otherwise the one for temporary files: for tests that
  /// commit very often.
  package static var fastParent: URL {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    return FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
  }

  /// Returns the path of a file in the folder.
  package func file(_ name: String) -> URL { url.appending(path: name) }

  /// Returns the path of a file that no other call returned.
  package func newFile(_ ending: String) -> URL { file("\(UUID().uuidString).\(ending)") }

  /// Writes a file.
  package func file(_ name: String, _ text: String) throws -> URL {
    let file = file(name)
    try Data(text.utf8).write(to: file)
    return file
  }
}

/// Calls a closure with a folder that exists until the closure returns.
package func withTemporaryFolder<Result>(
  _ body: (URL) async throws -> Result
) async throws -> Result {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  return try await body(folder.url)
}
