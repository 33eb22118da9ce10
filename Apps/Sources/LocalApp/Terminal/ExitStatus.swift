import ArgumentParser
import Foundation

/// The exit status of a program, after sysexits(3).
package struct ExitStatus: Hashable, Sendable {
  package static let notFound: Int32 = 1
  package static let usage: Int32 = 64
  package static let badData: Int32 = 65
  package static let noInput: Int32 = 66
  package static let unavailable: Int32 = 69
  package static let software: Int32 = 70
  package static let inputOutput: Int32 = 74
  package static let tryAgain: Int32 = 75
  package static let noPermission: Int32 = 77
  package static let interrupted: Int32 = 130

  /// The exit code.
  package let code: Int32
  /// The message for standard error. Empty: no message. `nil`: the argument parser prints its own.
  package let message: String?

  package init(code: Int32, message: String?) {
    self.code = code
    self.message = message
  }

  /// Creates the status of an error.
  /// - Parameters:
  ///   - error: The error that ended the program.
  ///   - command: The program's root command.
  ///   - own: Returns the status of an error of the program itself; nil for any other error.
  package init(
    _ error: any Error, of command: any ParsableCommand.Type, own: (any Error) -> ExitStatus?
  ) {
    switch error {
    case is StandardOutput.Closed: self.init(code: 0, message: "")
    case is CancellationError: self.init(code: Self.interrupted, message: "interrupted")
    case let error as LocalAppError:
      self.init(code: Self.inputOutput, message: error.description)
    case let error as POSIXError:
      self.init(code: Self.inputOutput, message: FileFailure.reason(error))
    case is ExitCode, is ValidationError, is CleanExit: self.init(code: 0, message: nil)
    default:
      if let status = own(error) {
        self = status
        return
      }
      // The argument parser's own errors have no common public type, but it returns their exit
      // code.
      let parserCode = command.exitCode(for: error).rawValue
      if parserCode == Self.usage || parserCode == 0 {
        self.init(code: parserCode, message: nil)
      } else {
        self.init(code: Self.software, message: "unexpected: \(error)")
      }
    }
  }
}
