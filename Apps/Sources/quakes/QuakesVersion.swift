/// The version of the application.
package enum QuakesVersion {
  /// The version that `quakes --version` and `GET /api/config` show.
  package static let current = "0.1.0"
}
