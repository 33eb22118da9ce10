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
    if let fault = StartingTexts.fault(name) {
      complain("\(name): \(fault)")
      Foundation.exit(ExitStatus.usage)
    }
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let outcome = status(error)
      guard let message = outcome.message else { end(by: error, name) }
      if !message.isEmpty { complain("\(name): " + message) }
      Foundation.exit(outcome.code)
    }
  }

  /// Ends the program by an outcome that the argument parser describes. Help that can't be written is a failure, which
  /// the parser itself doesn't notice.
  private static func end(by error: any Error, _ name: String) -> Never {
    guard exitCode(for: error).isSuccess else { exit(withError: error) }
    let text = fullMessage(for: error)
    do {
      if !text.isEmpty { try StandardOutput.write(Array((text + "\n").utf8), to: STDOUT_FILENO) }
    } catch is StandardOutput.Closed {
      // The reader has seen enough.
    } catch {
      complain("\(name): \(error.localizedDescription)")
      Foundation.exit(ExitStatus.inputOutput)
    }
    Foundation.exit(0)
  }
}
