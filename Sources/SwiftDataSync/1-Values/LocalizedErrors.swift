import Foundation

// `localizedDescription`, which alerts and logs show, is the error's `description`
// (Foundation documentation, `LocalizedError.errorDescription`).

extension SyncError: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
