import Dispatch
import Foundation
import Synchronization

/// The location of a store's file and of the files that SQLite keeps beside it.
struct WatchedFile {
  let folder: String
  /// The file's own name.
  let name: String
  /// All file names at which a commit can be detected.
  let names: Set<String>

  init(_ file: URL) {
    folder = file.deletingLastPathComponent().path
    name = file.lastPathComponent
    names = [name, name + "-wal", name + "-journal"]
  }
}

#if canImport(Darwin)
  import Darwin

  /// Reports writes to a store's files, by kqueue(2).
  ///
  /// The folder reports when files are created and removed, the log when it grows. The database itself isn't opened for
  /// this: closing it would release the locks that SQLite has on it.
  final class FileEvents: @unchecked Sendable {
    // Unchecked: the sources are used only on the queue.
    private let queue = DispatchQueue(label: "SwiftData.FileEvents")
    private let callback: @Sendable (Bool) -> Void
    private let log: String
    private var folderSource: (any DispatchSourceFileSystemObject)?
    private var logSource: (any DispatchSourceFileSystemObject)?

    /// nil when the system can't report writes.
    init?(of file: URL, _ callback: @escaping @Sendable (_ isReplaced: Bool) -> Void) {
      let watched = WatchedFile(file)
      self.callback = callback
      log = file.path + "-wal"
      guard let source = Self.source(watched.folder, [.write, .rename, .delete], queue) else {
        return nil
      }
      folderSource = source
      source.setEventHandler { [weak self] in
        self?.watchLog()
        callback(true)
      }
      source.resume()
      queue.async { [weak self] in self?.watchLog() }
    }

    deinit {
      folderSource?.cancel()
      logSource?.cancel()
    }

    private func watchLog() {
      logSource?.cancel()
      logSource = Self.source(log, [.write, .extend, .delete, .rename], queue)
      logSource?.setEventHandler { [callback] in callback(false) }
      logSource?.resume()
    }

    private static func source(
      _ path: String, _ mask: DispatchSource.FileSystemEvent, _ queue: DispatchQueue
    ) -> (any DispatchSourceFileSystemObject)? {
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: mask, queue: queue)
      source.setCancelHandler { close(descriptor) }
      return source
    }
  }
#elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// Reports writes to a store's files, by inotify(7).
  ///
  /// The folder is watched, so creating and removing the log makes no difference. All stores of the process share one
  /// inotify instance, because the number of instances per user is limited.
  final class FileEvents: Sendable {
    private let number: Int

    /// nil when the system can't report writes.
    init?(of file: URL, _ callback: @escaping @Sendable (_ isReplaced: Bool) -> Void) {
      guard let number = FolderEvents.add(WatchedFile(file), callback) else { return nil }
      self.number = number
    }

    deinit { FolderEvents.remove(number) }
  }
#else
  /// A placeholder for systems that can't report writes.
  final class FileEvents: Sendable {
    init?(of file: URL, _ callback: @escaping @Sendable (_ isReplaced: Bool) -> Void) { return nil }
  }
#endif
