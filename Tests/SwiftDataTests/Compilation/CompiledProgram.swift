import Foundation

/// A program that a test compiles against the modules that the tests themselves were built from.
struct CompiledProgram {
  /// The modules that `import SwiftData` links.
  private static let linkedModules = [
    "SwiftData", "SwiftDataCore", "CSwiftRuntime", "SwiftDataSQL", "SwiftDataStore",
    "SwiftDataSQLite", "ContentFiles", "SystemCrypto", "CMappedFiles",
  ]

  /// Compiles `source`, runs it, and returns its output.
  static func run(_ source: String) async throws -> String {
    try await withTemporaryFolder { folder in
      let main = folder.appending(path: "main.swift")
      try source.write(to: main, atomically: true, encoding: .utf8)
      let program = folder.appending(path: "program")
      let compiler = try Compiler()
      let arguments =
        [main.path, "-swift-version", "5"] + compiler.importArguments + objects(compiler)
        + ["-lsqlite3", "-lcrypto", "-o", program.path]
      try await Compiler.call("/usr/bin/env", ["swiftc"] + arguments, in: folder)
      return try await Compiler.call(program.path, [], in: folder)
    }
  }

  private static func objects(_ compiler: Compiler) -> [String] {
    var objects: [String] = []
    for module in linkedModules {
      let sources = sourceNames(of: module)
      let folder = compiler.products.appending(path: "\(module)\(compiler.suffix).build")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "o" else { continue }
        // A build folder keeps the object files of removed sources.
        let source = file.deletingPathExtension().lastPathComponent
        if sources.isEmpty || sources.contains(source) { objects.append(file.path) }
      }
    }
    return objects
  }

  /// Returns the names of a module's source files; empty for a module of another package.
  private static func sourceNames(of module: String) -> Set<String> {
    let files = FileManager.default.enumerator(
      at: Compiler.root.appending(path: "Sources/\(module)"), includingPropertiesForKeys: nil)
    var names: Set<String> = []
    while let file = files?.nextObject() as? URL {
      if ["swift", "c"].contains(file.pathExtension) { names.insert(file.lastPathComponent) }
    }
    return names
  }
}
