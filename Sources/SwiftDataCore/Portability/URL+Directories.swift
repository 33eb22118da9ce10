#if !canImport(Darwin)
  import Foundation

  // Foundation has these on Apple's systems only. The places are those of the XDG directories
  // (https://specifications.freedesktop.org/basedir-spec), as `FileManager` knows them.
  extension URL {
    /// Where the user keeps documents.
    public static var documentsDirectory: URL { place(.documentDirectory, "Documents") }
    /// Where programs keep their data: `$XDG_DATA_HOME`.
    public static var applicationSupportDirectory: URL {
      place(.applicationSupportDirectory, ".local/share")
    }
    /// Where programs keep what they can make again: `$XDG_CACHE_HOME`.
    public static var cachesDirectory: URL { place(.cachesDirectory, ".cache") }
    /// Where what was downloaded goes.
    public static var downloadsDirectory: URL { place(.downloadsDirectory, "Downloads") }
    /// The desktop's folder.
    public static var desktopDirectory: URL { place(.desktopDirectory, "Desktop") }
    /// Where the user keeps films.
    public static var moviesDirectory: URL { place(.moviesDirectory, "Videos") }
    /// Where the user keeps music.
    public static var musicDirectory: URL { place(.musicDirectory, "Music") }
    /// Where the user keeps pictures.
    public static var picturesDirectory: URL { place(.picturesDirectory, "Pictures") }

    private static func place(
      _ directory: FileManager.SearchPathDirectory, _ path: String
    ) -> URL {
      let known = FileManager.default.urls(for: directory, in: .userDomainMask).first
      return known ?? homeDirectory.appending(path: path, directoryHint: .isDirectory)
    }
  }
#endif
