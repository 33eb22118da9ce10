import DemoFeed
import LocalApp
import LocalCopy
import QuakesKit

extension ExitStatus {
  /// Creates the status of an error.
  init(_ error: any Error) {
    self.init(error, of: Quakes.self) { error in
      switch error {
      case let error as QuakesError:
        ExitStatus(code: Self.code(error.code), message: error.description)
      case let error as SearchError:
        ExitStatus(code: Self.usage, message: "--search \(error)")
      case let error as BackfillError:
        ExitStatus(code: Self.code(error.code), message: error.description)
      case let error as DetailsError:
        ExitStatus(code: Self.code(error.code), message: error.description)
      case let error as LocalCopyError:
        ExitStatus(code: Self.code(error), message: error.description)
      case let error as DemoFeedError:
        ExitStatus(code: Self.code(error.code), message: error.description)
      default: nil
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

  private static func code(_ code: BackfillError.Code) -> Int32 {
    switch code {
    case .truncated, .malformed: badData
    case .busy: tryAgain
    default: unavailable
    }
  }

  private static func code(_ code: DetailsError.Code) -> Int32 {
    switch code {
    case .noAddress, .notLoaded, .gone: notFound
    case .addressRefused, .tooLarge, .malformed: badData
    case .busy: tryAgain
    default: unavailable
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
