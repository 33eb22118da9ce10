#if !canImport(Darwin)
  import Foundation

  // Foundation has these on Apple's systems only. The directories are the XDG directories
  // (https://specifications.freedesktop.org/basedir-spec), as `FileManager` knows them.
  extension URL {
    /// The directory for the user's documents.
    public static var documentsDirectory: URL { place(.documentDirectory, "Documents") }
    /// The directory for programs' data: `$XDG_DATA_HOME`.
    public static var applicationSupportDirectory: URL {
      place(.applicationSupportDirectory, ".local/share")
    }
    /// The directory for data that programs can create again: `$XDG_CACHE_HOME`.
    public static var cachesDirectory: URL { place(.cachesDirectory, ".cache") }
    /// The directory for downloads.
    public static var downloadsDirectory: URL { place(.downloadsDirectory, "Downloads") }
    /// The desktop's folder.
    public static var desktopDirectory: URL { place(.desktopDirectory, "Desktop") }
    /// The directory for the user's movies.
    public static var moviesDirectory: URL { place(.moviesDirectory, "Videos") }
    /// The directory for the user's music.
    public static var musicDirectory: URL { place(.musicDirectory, "Music") }
    /// The directory for the user's pictures.
    public static var picturesDirectory: URL { place(.picturesDirectory, "Pictures") }

    private static func place(
      _ directory: FileManager.SearchPathDirectory, _ path: String
    ) -> URL {
      let known = FileManager.default.urls(for: directory, in: .userDomainMask).first
      return known ?? homeDirectory.appending(path: path, directoryHint: .isDirectory)
    }
  }
#endif
