import Foundation

/// The default location of the store.
public enum StorePlace {
  /// Returns `$XDG_DATA_HOME/quakes/quakes.store`, by default `~/.local/share/quakes/quakes.store`
  /// (XDG Base Directory Specification 0.8, which requires that relative paths be ignored); on
  /// Apple systems, a file in Application Support.
  /// - Parameter environment: the process's environment.
  public static func standard(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> URL {
    #if canImport(Darwin)
      let folder = URL.applicationSupportDirectory
    #else
      let folder: URL
      if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
        folder = URL(fileURLWithPath: path, isDirectory: true)
      } else {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        folder = URL(fileURLWithPath: home, isDirectory: true)
          .appendingPathComponent(".local/share", isDirectory: true)
      }
    #endif
    return folder.appendingPathComponent("quakes/quakes.store")
  }
}
