import Foundation
import HTTPContent

/// The texts with which a program was started. `CommandLine` and `ProcessInfo` put U+FFFD in the place of what isn't
/// UTF-8, which then is the name of another file.
enum StartingTexts {
  /// Returns a message about the first argument, or variable of a program, that isn't UTF-8; nil when all are.
  /// - Parameter name: The name of the program, with which its variables begin.
  static func fault(_ name: String) -> String? {
    let arguments = UnsafeMutableBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    for case let argument? in arguments.dropFirst()
    where String(validatingCString: argument) == nil {
      let shown = PlainText.neutralised(String(cString: argument))
      return "\(shown): the argument isn't UTF-8"
    }
    let environment = ProcessInfo.processInfo.environment
    // The usual place of a store is below HOME unless the other variable has an absolute path.
    let folder = environment["XDG_DATA_HOME"]?.hasPrefix("/") == true ? "XDG_DATA_HOME" : "HOME"
    let variables = environment.keys.sorted().filter {
      $0.hasPrefix(name.uppercased() + "_") || $0 == folder
    }
    for variable in variables {
      guard let value = getenv(variable), String(validatingCString: value) == nil else { continue }
      return "\(variable): the value isn't UTF-8"
    }
    return nil
  }
}
