import Foundation
import Testing

@Suite("The example of README.md")
struct ReadmeTests {
  @Test("is the one that is compiled here")
  func text() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let example = try String(
      contentsOf: folder.appending(path: "ReadmeExample.swift"), encoding: .utf8)
    #expect(readme.contains("```swift\n\(example)```"))
  }

  @Test("gives the stated result, also when run again")
  func result() throws {
    let store = try TemporaryStore()
    for _ in 0..<2 {
      #expect(
        try highStations(in: store.file) == ["Albuquerque: 1820.0 m", "Ny-Ålesund: 90.0 m"])
    }
  }
}
