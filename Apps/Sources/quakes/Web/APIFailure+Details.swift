import HTTPTypes
import LocalApp
import QuakesKit

extension APIFailure {
  /// Creates the answer for details that there aren't and that could not be loaded.
  init(_ error: DetailsError) {
    let status: HTTPResponse.Status =
      switch error.code {
      case .noAddress, .notLoaded, .gone: .notFound
      case .busy: .serviceUnavailable
      case .timedOut: .gatewayTimeout
      default: .badGateway
      }
    self.init(status, error.code.name, error.reason, retryAfter: error.retryAfter)
  }
}
