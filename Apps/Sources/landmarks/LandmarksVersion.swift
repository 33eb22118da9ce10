/// The version of the program.
enum LandmarksVersion {
  static let current = "0.1.0"
}
