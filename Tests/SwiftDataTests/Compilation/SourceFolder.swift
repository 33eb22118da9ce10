import Foundation

/// A folder of sources that are compiled together as one module, without linking.
struct SourceFolder {
  /// The phases that the compiler runs. It analyses the data flow (values sent to another actor, values read before
  /// they are set) only in sources that pass the type checker.
  enum Depth {
    case types, flow
  }

  let folder: URL
  let sources: [URL]

  /// - Parameter path: The path of the folder, relative to `Tests`.
  init(_ path: String) throws {
    folder = Compiler.root.appending(path: "Tests/\(path)", directoryHint: .isDirectory)
    sources = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "swift" }
    .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  /// Compiles all sources in Swift 6 mode and returns the compiler's output.
  func compile(_ depth: Depth, _ options: [String] = []) async throws -> String {
    try await withTemporaryFolder { scratch in
      let mode =
        switch depth {
        case .types: ["-typecheck"]
        case .flow: ["-emit-sil", "-o", scratch.appending(path: "sil").path]
        }
      let arguments =
        [
          "swiftc", "-swift-version", "6", "-wmo", "-module-name", "Sources", "-package-name",
          "sources",
        ] + mode
        + ["-diagnostic-style=llvm", "-debug-diagnostic-names"] + options
        + (try Compiler().importArguments) + sources.map(\.path)
      return try await Compiler.call("/usr/bin/env", arguments, in: scratch, mayFail: true)
    }
  }
}
