import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// Tracks the files of an open store by identity, not only by name: deleting, moving, replacing or truncating one of
/// them leaves connections that write where no other connection will read.
///
/// Every write transaction checks when it has begun and when it is committed, so that a save that returns has written
/// to the file that a new container opens. A check reads the identities of the file, its log and the log's index by
/// their paths. Reading checks only the file, before each read transaction.
final class StoreFiles: Sendable {
  /// The path as it was given, which may lead through symbolic links.
  private let given: String
  /// The path that connections open.
  let path: String
  private let logPath: String
  private let indexPath: String
  private let isReadOnly: Bool
  /// The file that the store has opened.
  let main: FileIdentity
  private let onReplacement: @Sendable () -> Void
  /// Whether a database has the tables of entities with some forms.
  private let fits: @Sendable (Connection, EntityForms) throws -> Bool
  private let state: Mutex<State>
  /// The least valid size: a shorter file has been truncated, or was properly made smaller by another program.
  private let minimumSize: Atomic<Int64>

  private struct State {
    var log: FileIdentity?
    var index: FileIdentity?
    /// Another file that has replaced the store's.
    var other: FileIdentity?
    var forms = EntityForms.none
    var isForgotten = false
  }

  /// - Parameters:
  ///   - given: The path of the configuration.
  ///   - connection: A connection that has just been opened.
  ///   - isReadOnly: Whether the store only reads.
  ///   - fits: Tells whether another file can be read in place of this one.
  ///   - onReplacement: Called when another file has been put in the place of this one.
  /// - Throws: ``StoreError`` for a file that is already gone, or has several names.
  init(
    given: String, _ connection: Connection, isReadOnly: Bool,
    fits: @escaping @Sendable (Connection, EntityForms) throws -> Bool,
    onReplacement: @escaping @Sendable () -> Void
  ) throws {
    self.given = given
    self.isReadOnly = isReadOnly
    self.fits = fits
    self.onReplacement = onReplacement
    path = connection.path
    logPath = path + "-wal"
    indexPath = path + "-shm"
    guard let status = FileStatus(path), !connection.hasMoved else {
      throw StoreError(.replaced, path: path, explanation: Self.gone)
    }
    guard status.links < 2 || connection.isImmutable else {
      throw StoreError(
        .cannotOpen, path: path,
        explanation:
          "the file has \(status.links) names (hard links). SQLite keeps the log by the name, so what is"
          + " saved through one of them is missing for the others; remove the others, or open a copy"
      )
    }
    main = status.identity
    minimumSize = Atomic(status.size)
    // Last, because an initializer that fails later runs `deinit`.
    try Self.register(main, path)
    state = Mutex(State())
  }

  deinit { forget() }

  static let gone =
    "its file isn't at this path any more: it was deleted, moved or renamed while it was open."
    + " Put it back, or make a new container. Unsaved changes are still in their contexts"
  private static let replaced =
    "another file was put in its place while it was open; make a new container"

  private func failure(_ explanation: String) -> StoreError {
    StoreError(.replaced, path: path, explanation: explanation)
  }

  // MARK: - Opening

  /// Records the log, which exists once data was read. Call it when the store is open.
  ///
  /// - Parameter forms: The forms of the entities, which another file must have to be read in place of this one.
  /// - Throws: ``StoreError`` when another container of this program uses a log that no longer exists.
  func recordLog(of connection: Connection, forms: EntityForms) throws {
    let hasLog = !isReadOnly && connection.logExtent != nil
    let (log, index) = hasLog ? (FileStatus(logPath), FileStatus(indexPath)) : (nil, nil)
    state.withLock { state in
      state.forms = forms
      state.log = log?.identity
      state.index = index?.identity
    }
    if hasLog {
      guard let log, let index, Self.agrees(main, log.identity, index.identity) else {
        throw failure(
          "its log \(logPath) or the index of it was deleted while another container of this program has"
            + " the file open. Let go of that container first")
      }
    }
    guard FileStatus(given)?.identity == main else { throw failure(Self.gone) }
  }

  // MARK: - Writing

  /// Checks that writes go to the file at the path. Call it in a write transaction, or immediately after one.
  ///
  /// - Throws: ``StoreError`` with the code `replaced`, or `damaged` for a truncated file.
  func check(_ connection: Connection) throws {
    guard let status = FileStatus(given) else { throw failure(Self.gone) }
    guard status.identity == main else { throw failure(Self.replaced) }
    if given != path, FileStatus(path)?.identity != main { throw failure(Self.gone) }
    let (log, index) = state.withLock { ($0.log, $0.index) }
    guard let log else { return try checkSizes(connection, Sizes(file: status.size, log: nil)) }
    guard let logStatus = FileStatus(logPath), logStatus.identity == log else {
      throw failure(
        "its log \(logPath) was deleted or replaced while it was open; make a new container."
          + " Unsaved changes are still in their contexts")
    }
    guard FileStatus(indexPath)?.identity == index else {
      throw failure(
        "\(indexPath) was deleted or replaced while it was open, so programs don't see each other's"
          + " locks; make a new container. Unsaved changes are still in their contexts")
    }
    try checkSizes(connection, Sizes(file: status.size, log: logStatus.size))
  }

  /// The sizes of the files, in bytes.
  struct Sizes {
    var file: Int64
    /// The size of the log; nil where no log is known.
    var log: Int64?
  }

  /// The maximum number of checks of sizes that don't fit the log's index.
  private static let maximumChecks = 16

  /// Checks whether the file or its log was truncated.
  ///
  /// Other connections commit and write the log back meanwhile, so sizes and index may be of different moments. A
  /// mismatch is checked again, and counts when the index is the same before and after it. If others commit between all
  /// checks, the next transaction has to detect it.
  func checkSizes(_ connection: Connection, _ first: Sizes) throws {
    var sizes = first
    for _ in 0..<Self.maximumChecks {
      let extent = connection.logExtent
      do { return try checkSizes(sizes, extent) } catch let error as StoreError {
        guard let status = FileStatus(given), status.identity == main else {
          throw failure(Self.gone)
        }
        let log = first.log == nil ? nil : FileStatus(logPath)?.size ?? 0
        let again = Sizes(file: status.size, log: log)
        if again.file == sizes.file, again.log == sizes.log, extent?.isSettled ?? true,
          extent == connection.logExtent
        {
          throw error
        }
        sizes = again
      }
    }
  }

  private func checkSizes(_ sizes: Sizes, _ extent: LogExtent?) throws {
    if let extent, let log = sizes.log, log < extent.minimumLogSize {
      throw StoreError(
        .damaged, path: path,
        explanation:
          "its log \(logPath) was cut off while it was open: it has \(log) bytes, and"
          + " \(extent.frames) pages in it need \(extent.minimumLogSize); restore it from a copy")
    }
    if let extent, extent.isWrittenBack, extent.minimumSize > 0 {
      guard sizes.file >= extent.minimumSize else { throw truncated() }
      minimumSize.store(extent.minimumSize, ordering: .relaxed)
    } else if sizes.file < minimumSize.load(ordering: .relaxed) {
      try verify(sizes.file, extent)
    }
  }

  private func truncated() -> StoreError {
    StoreError(
      .damaged, path: path,
      explanation: "it was cut off while it was open; restore it from a copy")
  }

  /// Checks the case that another program has properly made the file smaller. Then the log has every page that the file
  /// lacks.
  private func verify(_ size: Int64, _ extent: LogExtent?) throws {
    guard let extent, extent.pages > 0, size.isMultiple(of: extent.pageSize) else {
      throw truncated()
    }
    let present = size / extent.pageSize
    if present < extent.pages {
      var missing = Set(present + 1...extent.pages)
      try LogFile(logPath).forEachPage(of: extent) { missing.remove($0) }
      guard missing.isEmpty else { throw truncated() }
    }
    minimumSize.store(size, ordering: .relaxed)
  }

  // MARK: - Reading

  /// Whether a connection has the file at the path open, or no file is left there: then the rows are those of the file
  /// that the store has opened.
  func isCurrent(_ connection: Connection) throws -> Bool {
    guard let status = FileStatus(given) else { return true }
    guard status.identity == connection.identity else { return false }
    if connection.isImmutable {
      return status.version == connection.version && (FileStatus(logPath)?.size ?? 0) == 0
    }
    if status.size < minimumSize.load(ordering: .relaxed), status.identity == main {
      try checkSizes(connection, Sizes(file: status.size, log: nil))
    }
    return true
  }

  /// Opens a connection, and checks that it has the store's file, or one that has replaced it.
  func open(_ make: () throws -> Connection) throws -> Connection {
    let connection: Connection
    do { connection = try make() } catch let error as StoreError where error.code == .cannotOpen {
      throw FileStatus(given) == nil ? failure(Self.gone) : error
    }
    guard let status = FileStatus(path), !connection.hasMoved else { throw failure(Self.gone) }
    if given != path, FileStatus(given)?.identity != status.identity {
      throw failure(Self.replaced)
    }
    connection.identity = status.identity
    connection.version = status.version
    guard status.identity == main else {
      try follow(connection)
      recordOther(status.identity)
      return connection
    }
    let (log, index) = state.withLock { ($0.log, $0.index) }
    if let log, FileStatus(logPath)?.identity != log || FileStatus(indexPath)?.identity != index {
      throw failure(
        "its log \(logPath) or the index of it was deleted or replaced while it was open; make a new"
          + " container. Unsaved changes are still in their contexts")
    }
    return connection
  }

  /// Checks whether a file that has replaced the store's can be read in its place.
  private func follow(_ connection: Connection) throws {
    if isReadOnly { return }
    let forms = state.withLock { $0.forms }
    do {
      if try fits(connection, forms) { return }
    } catch let error as StoreError where error.code != .busy {
      throw failure(Self.replaced)
    }
    throw failure(Self.replaced)
  }

  /// Records that another file is at the path.
  func recordOther(_ identity: FileIdentity) {
    guard identity != main else { return }
    let isNews = state.withLock { state in
      defer { state.other = identity }
      return state.other != identity
    }
    if isNews { onReplacement() }
  }

  // MARK: - The stores of this process

  /// The state of a file that stores of this process have open: all of SQLite's connections to it share one index of
  /// the log, whatever the index's name was when the first of them opened it.
  private struct Known {
    let path: String
    var log: FileIdentity?
    var index: FileIdentity?
    var count = 0
  }

  private static let known = Mutex<[FileIdentity: Known]>([:])

  private static func register(_ main: FileIdentity, _ path: String) throws {
    let other = known.withLock { known -> String? in
      if let other = known[main], other.path != path { return other.path }
      known[main, default: Known(path: path)].count += 1
      return nil
    }
    guard let other else { return }
    throw StoreError(
      .cannotOpen, path: path,
      explanation:
        "this program has the file open as \(other), where its log is; let go of that container first"
    )
  }

  /// Registers the log of a store, or checks that it is the log of the other stores.
  private static func agrees(
    _ main: FileIdentity, _ log: FileIdentity, _ index: FileIdentity
  ) -> Bool {
    known.withLock { known in
      guard let other = known[main]?.log else {
        known[main]?.log = log
        known[main]?.index = index
        return true
      }
      return other == log && known[main]?.index == index
    }
  }

  /// Unlinks the index of a log that this process has mapped for another file, which was deleted or moved away. Call it
  /// before a connection is opened for writing to a path. SQLite doesn't see the locks of its own process on that index
  /// and would truncate it under the connections that use it, which ends the process by SIGBUS.
  static func unlinkIndex(of path: String) {
    known.withLock { known in
      let others = known.filter { $0.value.path == path && $0.value.index != nil }
      guard !others.isEmpty else { return }
      let main = FileStatus(path)?.identity
      guard let index = FileStatus(path + "-shm")?.identity,
        others.contains(where: { $0.key != main && $0.value.index == index })
      else { return }
      unlink(path + "-shm")
    }
  }

  /// Unregisters the store. Call it before the connections are closed: the last one removes the log.
  func forget() {
    let isLast = state.withLock { state in
      defer { state.isForgotten = true }
      return !state.isForgotten
    }
    guard isLast else { return }
    Self.known.withLock { known in
      known[main]?.count -= 1
      if known[main]?.count == 0 { known[main] = nil }
    }
  }
}
