import Foundation

/// The landmarks that come with the package: real places with facts in the public domain.
public enum LandmarkCatalogue {
  /// Loads the landmarks.
  /// - Throws: ``LandmarksError/Code/inputOutput`` when the file is missing or damaged.
  public static func load() throws -> [Landmark] {
    guard let file = Bundle.module.url(forResource: "landmarks", withExtension: "json") else {
      throw LandmarksError(
        .inputOutput, "landmarks.json", reason: "it is missing beside the program; build it anew")
    }
    do {
      return try JSONDecoder().decode([Landmark].self, from: Data(contentsOf: file))
        .map { try $0.checked() }
    } catch {
      throw LandmarksError(.inputOutput, file.path, reason: "it cannot be read: \(error)")
    }
  }
}
