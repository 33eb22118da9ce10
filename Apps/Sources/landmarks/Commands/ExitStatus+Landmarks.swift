import LandmarksKit
import LocalApp
import LocalCopy
import SwiftDataSync

extension ExitStatus {
  /// Creates the status of an error.
  init(_ error: any Error) {
    self.init(error, of: Landmarks.self) { error in
      switch error {
      case let error as LandmarksError:
        ExitStatus(code: Self.code(error.code), message: error.description)
      case let error as LocalCopyError:
        ExitStatus(code: Self.code(error), message: AppSource.message(error))
      case let error as SyncFailure:
        ExitStatus(code: Self.code(error), message: AppSource.message(error))
      default: nil
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
    case .storeFailure, .storeChanged, .inputOutput: inputOutput
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
