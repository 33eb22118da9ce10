import Foundation

/// A program compiled by the tests against the modules that they themselves were built from.
struct CompiledProgram {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What `import SwiftData` links: its own modules, and those of swift-crypto.
  private static let linkedModules = [
    "SwiftData", "SwiftDataCore", "SwiftDataSQL", "SwiftDataSQLite", "Crypto",
    "CryptoBoringWrapper", "CCryptoBoringSSL", "CCryptoBoringSSLShims", "CXKCP", "CXKCPShims",
    "SwiftASN1",
  ]

  /// The package's build folder, where the test bundle lies.
  private static var products: URL {
    get throws {
      let bundle = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      var folder = bundle.deletingLastPathComponent()
      let names = ["Modules", "Modules-tool"]
      while folder.path != "/" {
        if names.contains(where: {
          FileManager.default.fileExists(
            atPath: folder.appending(path: "\($0)/SwiftData.swiftmodule").path)
        }) {
          return folder
        }
        folder = folder.deletingLastPathComponent()
      }
      throw Failure(description: "The modules aren't beside \(bundle.path).")
    }
  }

  /// Compiles `source`, runs it, and gives what it printed.
  static func run(_ source: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "swiftdata-seed-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder): \(error)") }
    }
    let main = folder.appending(path: "main.swift")
    try source.write(to: main, atomically: true, encoding: .utf8)
    let program = folder.appending(path: "program")
    let arguments = try compilerArguments(main, program)
    try call("/usr/bin/env", ["swiftc"] + arguments, in: folder)
    return try call(program.path, [], in: folder)
  }

  private static func compilerArguments(_ main: URL, _ program: URL) throws -> [String] {
    let products = try products
    // A test of the macros makes the package manager build everything for the host a second time, under
    // names that end in "-tool". The newest is the one the tests were built with.
    let suffix = ["", "-tool"].max { modified(products, $0) < modified(products, $1) } ?? ""
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    var objects: [String] = []
    for module in linkedModules {
      let sources = sourceNames(of: module, root)
      let folder = products.appending(path: "\(module)\(suffix).build")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "o" else { continue }
        // A build folder keeps the objects of files that are gone.
        let source = file.deletingPathExtension().lastPathComponent
        if sources.isEmpty || sources.contains(source) { objects.append(file.path) }
      }
    }
    return [
      main.path, "-swift-version", "5", "-I", products.appending(path: "Modules\(suffix)").path,
      "-Xcc", "-fmodule-map-file=\(root.appending(path: "Sources/CSQLite/module.modulemap").path)",
      "-load-plugin-executable",
      products.appending(path: "SwiftDataMacros-tool").path + "#SwiftDataMacros",
    ] + objects + ["-lsqlite3", "-lstdc++", "-o", program.path]
  }

  /// The names of a module's source files; empty for a module of another package.
  private static func sourceNames(of module: String, _ root: URL) -> Set<String> {
    let files = FileManager.default.enumerator(
      at: root.appending(path: "Sources/\(module)"), includingPropertiesForKeys: nil)
    var names: Set<String> = []
    while let file = files?.nextObject() as? URL {
      if file.pathExtension == "swift" { names.insert(file.lastPathComponent) }
    }
    return names
  }

  private static func modified(_ products: URL, _ suffix: String) -> Date {
    let module = products.appending(path: "Modules\(suffix)/SwiftData.swiftmodule")
    do {
      return try module.resourceValues(forKeys: [.contentModificationDateKey])
        .contentModificationDate ?? .distantPast
    } catch { return .distantPast }
  }

  @discardableResult
  private static func call(_ path: String, _ arguments: [String], in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let handle = try FileHandle(forWritingTo: output)
    process.standardOutput = handle
    process.standardError = handle
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try handle.close()
    let text = try String(contentsOf: output, encoding: .utf8)
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(path) ended with \(process.terminationStatus):\n\(text)")
    }
    return text
  }
}
