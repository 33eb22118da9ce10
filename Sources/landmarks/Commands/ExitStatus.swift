import ArgumentParser
import Foundation
import LandmarksKit
import LocalApp
import LocalCopy
import SwiftDataSync

/// The exit status of the program, after sysexits(3).
struct ExitStatus {
  static let notFound: Int32 = 1
  static let usage: Int32 = 64
  static let badData: Int32 = 65
  static let unavailable: Int32 = 69
  static let software: Int32 = 70
  static let inputOutput: Int32 = 74
  static let noPermission: Int32 = 77
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
    case let error as LandmarksError: (code, message) = (Self.code(error.code), error.description)
    case let error as LocalCopyError:
      (code, message) = (Self.code(error), AppSource.message(error))
    case let error as SyncFailure: (code, message) = (Self.code(error), AppSource.message(error))
    case let error as LocalAppError: (code, message) = (Self.inputOutput, error.description)
    case let error as POSIXError:
      (code, message) = (Self.inputOutput, error.localizedDescription)
    case is ExitCode, is ValidationError, is CleanExit: (code, message) = (0, nil)
    default:
      // The argument parser's own errors have no common public type, but it returns their exit
      // code.
      let parserCode = Landmarks.exitCode(for: error).rawValue
      if parserCode == Self.usage || parserCode == 0 {
        (code, message) = (parserCode, nil)
      } else {
        (code, message) = (Self.software, "unexpected: \(error)")
      }
    }
  }

  private static func code(_ code: LandmarksError.Code) -> Int32 {
    switch code {
    case .invalidArgument: usage
    case .notFound: notFound
    case .serverUnavailable: unavailable
    case .unauthorized: noPermission
    case .badAnswer: badData
    case .storeFailure, .inputOutput: inputOutput
    default: software
    }
  }

  private static func code(_ failure: SyncFailure) -> Int32 {
    switch failure.kind {
    case .authentication, .forbidden: noPermission
    case .offline, .server, .throttled: unavailable
    default: badData
    }
  }

  private static func code(_ error: LocalCopyError) -> Int32 {
    if [401, 403].contains(error.httpStatus) { return noPermission }
    switch error.code {
    case .connectionFailed, .timedOut, .throttled, .httpStatus, .redirectRefused:
      return unavailable
    case .invalidSource: return usage
    case .storeFailed, .stateUnreadable: return inputOutput
    default: return badData
    }
  }
}
