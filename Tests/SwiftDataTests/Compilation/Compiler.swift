import Foundation
import ProcessTesting

/// `swiftc`, configured to find the modules and the plugin that the tests were built with. Suites that call it are
/// serialized: waiting for it blocks no thread, and a compiler process for each test at the same time would exhaust the
/// machine's memory.
struct Compiler {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The root of the package.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The build folder, which contains the test bundle.
  let products: URL
  /// The suffix of the names of the modules' folders.
  let suffix: String

  init() throws {
    products = try Self.findProducts()
    // A test of the macros makes the package manager build everything a second time for the host, with names that end
    // in "-tool". The newest folder is the one that the tests were built with.
    let products = products
    suffix =
      ["", "-tool"].max { Self.modified(products, $0) < Self.modified(products, $1) } ?? ""
  }

  /// The arguments that let a source `import SwiftData`.
  var importArguments: [String] {
    ["-I", products.appending(path: "Modules\(suffix)").path]
      + [
        "CSQLite", "CLibcrypto", "CLibcurl", "CZlib", "CSwiftRuntime/include",
        "CMappedFiles/include",
      ].flatMap { folder in
        let map = Self.root.appending(path: "Sources/\(folder)/module.modulemap").path
        return ["-Xcc", "-fmodule-map-file=\(map)"]
      }
      + plugin
  }

  /// The plugin of the macros: the one that this build was made with (scripts/macros), or SwiftPM's own.
  private var plugin: [String] {
    let given = ProcessInfo.processInfo.environment["OPENSWIFTDATA_MACROS"] ?? ""
    return if ["", "package"].contains(given) {
      [
        "-load-plugin-executable",
        products.appending(path: "SwiftDataMacros-tool").path + "#SwiftDataMacros",
      ]
    } else {
      ["-load-plugin-library", given]
    }
  }

  /// Runs a program until it ends and returns its output.
  /// - Throws: ``Failure`` with the output when the program ends with another status than 0, unless `mayFail`.
  @discardableResult
  static func call(
    _ path: String, _ arguments: [String], in folder: URL, mayFail: Bool = false
  ) async throws -> String {
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    let end = try await ChildProcess(
      URL(filePath: path), arguments, output: handle, errors: handle
    ).end()
    try handle.close()
    let text = try String(contentsOf: output, encoding: .utf8)
    guard end == .exited(0) || mayFail else {
      throw Failure(description: "\(path): \(end):\n\(text)")
    }
    return text
  }

  private static func findProducts() throws -> URL {
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

  private static func modified(_ products: URL, _ suffix: String) -> Date {
    let module = products.appending(path: "Modules\(suffix)/SwiftData.swiftmodule")
    do {
      return try module.resourceValues(forKeys: [.contentModificationDateKey])
        .contentModificationDate ?? .distantPast
    } catch { return .distantPast }
  }
}
