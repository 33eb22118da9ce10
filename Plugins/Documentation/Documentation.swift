import Foundation
import PackagePlugin

/// `scripts/swift package generate-documentation`: the same site as that of `make docs`.
///
/// SwiftPM's own plugin would be a dependency of every user of this package. It also makes an archive for each module,
/// in which types of the inner modules aren't shown under the module that users import.
@main
struct Documentation: CommandPlugin {
  /// The error of a build or of the script, which has printed the reasons.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let built = try packageManager.build(.all(includingTests: false), parameters: .init())
    guard built.succeeded else { throw Failure(description: built.logText) }
    let script = Process()
    script.executableURL = context.package.directoryURL.appending(path: "scripts/document")
    // The script must not ask SwiftPM, which waits for the end of this command.
    let binaries = context.package.directoryURL.appending(path: ".build/debug")
    script.arguments = ["--built", binaries.path]
    try script.run()
    script.waitUntilExit()
    guard script.terminationStatus == 0 else {
      throw Failure(description: "scripts/document failed; its output is above.")
    }
  }
}
