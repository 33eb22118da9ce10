import Foundation

/// An event that another program causes on the files of an open store.
enum FileEvent: String, CaseIterable, Sendable {
  case nothing, deleted, deletedWithLog, replacedByNew, replacedByCopy, replacedByOther, emptyPut
  case renamed, renamedWithLog, folderMoved, folderRemoved, folderReplaced
  case truncatedToNothing, truncatedToPage, truncatedByHalf, truncatedByByte, grown
  case madeReadOnly, logDeleted, logReplaced, logTruncated, indexDeleted, logAndIndexDeleted
  case copied, copiedAlone, linked, linkTurned, linkRemoved, valuesRemoved

  /// The required result of a save after the event.
  enum Answer { case stores, throwsError, either }

  var answer: Answer {
    switch self {
    // The superuser may write to any file; other users may write to a file that is already open.
    case .madeReadOnly: geteuid() == 0 ? .stores : .either
    case .nothing, .grown, .copied, .copiedAlone, .linked, .valuesRemoved: .stores
    default: .throwsError
    }
  }

  /// Whether the store is opened through a symbolic link.
  var isLinked: Bool { self == .linkTurned || self == .linkRemoved }

  private struct Failure: Error { let description: String }

  private func check(_ result: Int32) throws {
    guard result == 0 else { throw Failure(description: String(cString: strerror(errno))) }
  }

  private func cut(_ path: String, to size: (Int) -> Int) throws {
    let length = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    try check(truncate(path, size(length)))
  }

  func happen(to place: ParcelPlace) throws {
    let files = FileManager.default
    let path = place.file.path
    let endings = ["", "-wal", "-shm"]
    func copy(_ endings: [String]) throws {
      let folder = place.outside.folder.appending(path: "copy", directoryHint: .isDirectory)
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      for ending in endings {
        try files.copyItem(
          atPath: path + ending, toPath: folder.appending(path: "parcels.store").path + ending)
      }
    }
    switch self {
    case .nothing: break
    case .deleted: try check(unlink(path))
    case .deletedWithLog: for ending in endings { try check(unlink(path + ending)) }
    case .replacedByNew:
      for ending in endings { try check(unlink(path + ending)) }
      _ = try ParcelPlace.container(place.file)
    case .replacedByCopy:
      try files.copyItem(atPath: path, toPath: path + "-copy")
      try check(rename(path + "-copy", path))
    case .replacedByOther:
      let other = place.outside.folder.appending(path: "other.store")
      try SQLiteFile(other).run("CREATE TABLE other (x)")
      try check(rename(other.path, path))
    case .emptyPut:
      try check(unlink(path))
      try Data().write(to: place.file)
    case .renamed: try check(rename(path, path + "-new"))
    case .renamedWithLog:
      for ending in endings { try check(rename(path + ending, path + "-new" + ending)) }
    case .folderMoved:
      try check(rename(place.folder.path, place.outside.folder.appending(path: "moved").path))
    case .folderRemoved: try files.removeItem(at: place.folder)
    case .folderReplaced:
      try check(rename(place.folder.path, place.outside.folder.appending(path: "moved").path))
      try files.createDirectory(at: place.folder, withIntermediateDirectories: true)
    case .truncatedToNothing: try check(truncate(path, 0))
    case .truncatedToPage: try check(truncate(path, 4096))
    case .truncatedByHalf: try cut(path) { $0 / 2 / 4096 * 4096 }
    case .truncatedByByte: try cut(path) { $0 - 1 }
    case .grown: try cut(path) { $0 + 4096 }
    case .madeReadOnly: for ending in endings { try check(chmod(path + ending, 0o444)) }
    case .logDeleted: try check(unlink(path + "-wal"))
    case .logReplaced:
      try check(unlink(path + "-wal"))
      try Data().write(to: URL(filePath: path + "-wal"))
    case .logTruncated: try check(truncate(path + "-wal", 0))
    case .indexDeleted: try check(unlink(path + "-shm"))
    case .logAndIndexDeleted: for ending in endings.dropFirst() { try check(unlink(path + ending)) }
    case .copied: try copy(endings)
    case .copiedAlone: try copy([""])
    case .linked: try check(link(path, path + "-link"))
    case .linkTurned:
      let other = place.outside.folder.appending(path: "other.store")
      _ = try ParcelPlace.container(other)
      try check(unlink(place.opened.path))
      try check(symlink(other.path, place.opened.path))
    case .linkRemoved: try check(unlink(place.opened.path))
    case .valuesRemoved:
      try files.removeItem(at: place.folder.appending(path: ".parcels.store_SUPPORT"))
    }
  }

  /// Reverts an obstacle that keeps a new container from being opened, although no data is lost.
  func settle(_ place: ParcelPlace) throws {
    if self == .linked { try check(unlink(place.file.path + "-link")) }
    guard self == .madeReadOnly else { return }
    for ending in ["", "-wal", "-shm"] { try check(chmod(place.file.path + ending, 0o644)) }
  }
}
