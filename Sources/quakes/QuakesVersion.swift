/// The version of the application.
package enum QuakesVersion {
  /// As shown by `quakes --version` and `GET /api/config`.
  package static let current = "0.1.0"
}
