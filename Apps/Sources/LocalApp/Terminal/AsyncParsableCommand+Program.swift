import ArgumentParser
import Foundation

extension AsyncParsableCommand {
  /// Runs a program: parses its arguments, runs the command, and converts an error into a message and an exit code.
  /// - Parameters:
  ///   - name: The name of the program, for messages.
  ///   - status: Returns the status of an error.
  package static func runProgram(
    _ name: String, status: @Sendable (any Error) -> ExitStatus
  ) async {
    #if !os(Windows)
      signal(SIGPIPE, SIG_IGN)  // write() then reports a closed pipe as an error.
    #endif
    PrivateFiles.keepPrivate()
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let outcome = status(error)
      guard let message = outcome.message else { exit(withError: error) }
      if !message.isEmpty { complain("\(name): " + message) }
      Foundation.exit(outcome.code)
    }
  }
}
