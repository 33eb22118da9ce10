import ContentFiles
import Foundation
import SwiftDataCore

/// Assigns a folder of large values to one store.
///
/// A store removes the files that none of its rows names, so two stores with one folder would remove each other's
/// values. Without symbolic links the folder's name identifies its store. At the target of a link, a file does.
extension ExternalFiles {
  /// The name of the file with the path of the store that owns a folder behind a link.
  static let ownerName = ".store"

  /// Makes this store the owner of a folder behind a symbolic link.
  ///
  /// - Throws: ``StoreError/Code/cannotOpen`` when another store has its values there. A store that no longer exists at
  ///   the path it wrote, or now has another folder, doesn't count.
  func claim() throws {
    let place = StoreLocation.resolved(folder.path)
    guard place != folder.path else { return }
    if let other = Self.store(ofFolder: place) { try refuse(other, place) }
    let path = place + "/" + Self.ownerName
    let descriptor = open(
      path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw unclaimed(place, "\(path): \(Self.lastFailure)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw unclaimed(place, "\(path) is no file")
    }
    // Held until the file is closed, so that of two stores opened at the same time one is refused.
    guard AdvisoryLock.take(.exclusive, descriptor) else {
      throw unclaimed(place, "\(path): \(Self.lastFailure)")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    do {
      let owner = String(
        decoding: try handle.read(upToCount: Int(PATH_MAX)) ?? Data(), as: UTF8.self)
      guard owner != storePath else { return }
      try refuse(owner, place)
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(storePath.utf8))
    } catch let error as StoreError { throw error } catch {
      throw unclaimed(place, "\(path): \(error.localizedDescription)")
    }
  }

  /// The store that owns a folder according to the folder's name.
  private static func store(ofFolder path: String) -> String? {
    let support = URL(filePath: path).deletingLastPathComponent()
    let name = support.lastPathComponent
    guard name.hasPrefix("."), name.hasSuffix("_SUPPORT") else { return nil }
    return support.deletingLastPathComponent()
      .appending(path: String(name.dropFirst().dropLast("_SUPPORT".count))).path
  }

  private func refuse(_ other: String, _ place: String) throws {
    var (own, others) = (stat(), stat())
    guard other != storePath, stat(other, &others) == 0 else { return }
    let isOwn =
      stat(storePath, &own) == 0 && own.st_ino == others.st_ino && own.st_dev == others.st_dev
    let folder = StoreLocation.supportFolder(of: URL(filePath: other)).appending(path: "external")
    guard !isOwn, StoreLocation.resolved(folder.path) == place else { return }
    throw unclaimed(
      place,
      "those of \(other) lie there, and each store removes the files that it doesn't know; let the link"
        + " lead to another folder")
  }

  private func unclaimed(_ place: String, _ reason: String) -> StoreError {
    StoreError(
      .cannotOpen, path: storePath,
      explanation: "its large values can't be kept in \(place): \(reason)")
  }

  private static var lastFailure: String { String(cString: strerror(errno)) }
}
