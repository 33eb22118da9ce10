import Foundation

// `localizedDescription`, which alerts and logs show, is the description of the error
// (Foundation documentation, `LocalizedError.errorDescription`).

extension LandmarksError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
