import ArgumentParser
import DemoFeed
import Foundation
import LocalApp
import LocalCopy
import QuakesKit

/// The exit status of the program, after sysexits(3).
struct ExitStatus {
  static let notFound: Int32 = 1
  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let noInput: Int32 = 66
  static let unavailable: Int32 = 69
  static let software: Int32 = 70
  static let inputOutput: Int32 = 74
  static let tryAgain: Int32 = 75
  static let interrupted: Int32 = 130

  /// The exit code.
  let code: Int32
  /// The message for standard error. Empty: no message. `nil`: the argument parser prints its own.
  let message: String?

  /// Creates the status of an error.
  init(_ error: any Error) {
    switch error {
    case is StandardOutput.Closed: (code, message) = (0, "")
    case is CancellationError: (code, message) = (Self.interrupted, "interrupted")
    case let error as QuakesError: (code, message) = (Self.code(error.code), error.description)
    case let error as LocalCopyError: (code, message) = (Self.code(error), error.description)
    case let error as LocalAppError: (code, message) = (Self.inputOutput, error.description)
    case let error as DemoFeedError: (code, message) = (Self.code(error.code), error.description)
    case let error as POSIXError:
      (code, message) = (Self.inputOutput, error.localizedDescription)
    case is ExitCode, is ValidationError, is CleanExit: (code, message) = (0, nil)
    default:
      // The argument parser's own errors have no common public type, but it returns their exit
      // code.
      let parserCode = Quakes.exitCode(for: error).rawValue
      if parserCode == Self.usage || parserCode == 0 {
        (code, message) = (parserCode, nil)
      } else {
        (code, message) = (Self.software, "unexpected: \(error)")
      }
    }
  }

  private static func code(_ code: QuakesError.Code) -> Int32 {
    switch code {
    case .invalidArgument: usage
    case .feedUnavailable: unavailable
    case .tryAgainLater: tryAgain
    case .badData: badData
    case .storeFailure, .inputOutput: inputOutput
    case .notFound: notFound
    case .noSuchFile: noInput
    default: software
    }
  }

  private static func code(_ error: LocalCopyError) -> Int32 {
    switch error.code {
    case .malformedDocument, .notJSON, .truncated, .elementsNotFound, .limitExceeded,
      .compressionInvalid, .refusedDocument:
      badData
    case .fileUnreadable: noInput
    case .invalidSource: usage
    case .throttled: tryAgain
    case .httpStatus: [429, 503].contains(error.httpStatus) ? tryAgain : unavailable
    case .connectionFailed, .timedOut, .redirectRefused: unavailable
    case .storeFailed, .stateUnreadable: inputOutput
    default: software
    }
  }

  private static func code(_ code: DemoFeedError.Code) -> Int32 {
    switch code {
    case .unreadableCapture: noInput
    case .notAFeed: badData
    case .unknownFault: usage
    default: inputOutput
    }
  }
}
