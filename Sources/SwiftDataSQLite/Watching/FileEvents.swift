import Dispatch
import Foundation
import Synchronization

/// Where a store's file and the files that SQLite keeps beside it lie.
struct WatchedFile {
  let folder: String
  /// The file's own name.
  let name: String
  /// All names at which a commit can be noticed.
  let names: Set<String>

  init(_ file: URL) {
    folder = file.deletingLastPathComponent().path
    name = file.lastPathComponent
    names = [name, name + "-wal", name + "-journal"]
  }
}

#if canImport(Darwin)
  import Darwin

  /// Tells when a store's files are written, by kqueue(2).
  ///
  /// The folder tells when files come and go, the log when it grows. The database itself isn't opened for it: closing
  /// it again would release the locks that SQLite has on it.
  final class FileEvents: @unchecked Sendable {
    // Unchecked: the sources are used on the queue only.
    private let queue = DispatchQueue(label: "SwiftData.FileEvents")
    private let callback: @Sendable (Bool) -> Void
    private let log: String
    private var folderSource: (any DispatchSourceFileSystemObject)?
    private var logSource: (any DispatchSourceFileSystemObject)?

    /// nil when the system can't tell.
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
  /// Tells when a store's files are written, by inotify(7).
  ///
  /// The folder is watched, so that it makes no difference that the log comes and goes. All stores of the process
  /// share one connection to the kernel, because their number is limited for a user.
  final class FileEvents: Sendable {
    private let number: Int

    /// nil when the system can't tell.
    init?(of file: URL, _ callback: @escaping @Sendable (_ isReplaced: Bool) -> Void) {
      guard let number = FolderEvents.add(WatchedFile(file), callback) else { return nil }
      self.number = number
    }

    deinit { FolderEvents.remove(number) }
  }
#else
  /// The system has no way to tell.
  final class FileEvents: Sendable {
    init?(of file: URL, _ callback: @escaping @Sendable (_ isReplaced: Bool) -> Void) { return nil }
  }
#endif
