import Foundation
import LocalStore
import SwiftData
import SwiftDataSync

/// The store of one device: landmarks, favorites, reservations and their photos. The server's state of them is in the
/// bookkeeping of the exchange (``LandmarkSync``), in the same file.
public struct LandmarkStore: Sendable {
  /// The container, for code that writes to the store.
  public let container: ModelContainer
  /// The store's file; nil in memory.
  public let file: URL?

  /// The models of the store.
  static var schema: Schema {
    Schema([
      StoredLandmark.self, StoredReservation.self, StoredPhoto.self, StoredEdit.self,
      ChosenVisit.self, ChosenCaption.self, StoredOwner.self,
    ])
  }

  /// Opens a store, and creates it if it doesn't exist.
  /// - Parameters:
  ///   - file: The file of the store; nil keeps it in memory.
  ///   - isReadOnly: Whether the store is only read: then the file has to be there, and may be one that this user can't
  ///     write.
  /// - Throws: ``LandmarksError/Code/storeFailure`` when it cannot be opened.
  public init(file: URL?, isReadOnly: Bool = false) throws {
    self.file = file
    do {
      if let file {
        container = try ModelContainer(
          for: Self.schema,
          configurations: [
            StoreOpening.configuration(of: file, Self.schema, isReadOnly: isReadOnly)
          ])
      } else {
        container = try ModelContainer(
          for: Self.schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
      }
    } catch {
      throw Self.failure("cannot be opened", file, error)
    }
  }

  /// Calls `body` with a new context.
  /// - Throws: ``LandmarksError``: the error of `body`, or the one that corresponds to an error of the store.
  func working<Result>(_ what: String, _ body: (ModelContext) throws -> Result) throws -> Result {
    try reporting(what) { try body(ModelContext(container)) }
  }

  /// The number of times that an edit is made anew at most; each time, another one was stored.
  private static let maximumRepetitions = 100

  /// Makes an edit in a new context, and saves it. When others, as the exchange with the server, have changed one of
  /// its models since it was read, the edit is made anew with what they have stored, which is otherwise overwritten.
  /// - Throws: ``LandmarksError``: the error of `edit`, or the one that corresponds to an error of the store.
  func editing<Result>(_ edit: (ModelContext) throws -> Result) throws -> Result {
    try reporting("written") {
      for _ in 0..<Self.maximumRepetitions {
        do { return try Self.edit(container, edit) } catch is MergeConflictError { continue }
      }
      return try Self.edit(container, edit)
    }
  }

  private static func edit<Result>(
    _ container: ModelContainer, _ edit: (ModelContext) throws -> Result
  ) throws -> Result {
    let context = ModelContext(container)
    context.mergePolicy = .error
    let result = try edit(context)
    try context.save()
    return result
  }

  /// Calls `body` and converts its errors.
  /// - Throws: as ``working(_:_:)``.
  func reporting<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw failure(what, error) }
  }

  /// Returns the application's error for an error of the store.
  func failure(_ what: String, _ error: any Error) -> LandmarksError {
    let reason: String? =
      switch (error as? StoreError)?.code {
      case .replaced?: Self.gone
      case .schemaMismatch?: Self.changed
      default: nil
      }
    guard let reason else { return Self.failure("cannot be \(what)", file, error) }
    return LandmarksError(
      .storeChanged, file?.path ?? "", reason: "the store cannot be \(what): \(reason)")
  }

  /// Why a store can't be used any more whose file went away, and what to do.
  public static let gone =
    "its file was deleted, moved or renamed while Landmarks ran; put it back, or start Landmarks again"

  /// Why a store can't be used any more that another version has migrated, and what to do.
  private static let changed =
    "another version of Landmarks changed its form while this one ran; start Landmarks again, in that version"

  private static let older = "an earlier version made it; `landmarks sync` brings it up to date"

  /// Whether the store's file isn't at its path any more.
  public var isGone: Bool { file.map { !FileManager.default.fileExists(atPath: $0.path) } ?? false }

  private static func failure(_ what: String, _ file: URL?, _ error: any Error) -> LandmarksError {
    if let error = error as? LandmarksError { return error }
    let reason =
      switch error {
      case let error as StoreError where error.code == .replaced: gone
      case let error as StoreError: error.explanation
      case let error as MigrationError where error.code == .readOnly: older
      case let error as SyncError where error.code == .readOnly: older
      case let error as CocoaError: error.localizedDescription
      default: "\(error)"
      }
    return LandmarksError(
      .storeFailure, file?.path ?? "the store in memory", reason: "the store \(what): \(reason)")
  }
}

/// The default location of a store.
public enum StorePlace {
  /// Returns `$XDG_DATA_HOME/landmarks/NAME`, by default below `~/.local/share` (XDG Base Directory Specification 0.8,
  /// which requires that relative paths be ignored); on Apple systems, a file in Application Support.
  /// - Parameters:
  ///   - name: the file's name.
  ///   - environment: the process's environment.
  public static func standard(
    _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment
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
    return folder.appendingPathComponent("landmarks/\(name)")
  }
}
