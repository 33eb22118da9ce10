import ContentFiles
import Foundation
import Testing

@Suite("Folders that survive a loss of power")
struct DurableFolderTests {
  @Test("are created with those above them, and may exist already")
  func creation() throws {
    let root = FileManager.default.temporaryDirectory.appending(
      path: "durable-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appending(path: "a/b", directoryHint: .isDirectory)
    try DurableFolder.make(folder)
    try DurableFolder.make(folder, syncingAtLeast: 2)
    var isFolder: ObjCBool = false
    #expect(FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder))
    #expect(isFolder.boolValue)
    try DurableFolder.sync(folder.path)
  }

  @Test("can't be synced when they don't exist")
  func missing() {
    #expect(throws: POSIXError.self) {
      try DurableFolder.sync("/tmp/durable-\(UUID().uuidString)")
    }
  }
}
