/// Why a store can't be brought to another schema. It is as it was: a migration is whole or not at all. Only the end of
/// the work on the copy beside the store can fail when the store is already migrated; ``description`` says so then.
public struct MigrationError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible
{
  /// The obstacle to the migration; an open set.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
    /// The plan contradicts itself: missing or duplicate versions, gaps, cycles.
    public static let invalidPlan = Code("invalidPlan")
    /// A property that can't be nil has no value in some rows, and no default.
    public static let missingValue = Code("missingValue")
    /// Some rows have values that the property's new type can't hold.
    public static let unsuitableValue = Code("unsuitableValue")
    /// Some rows share a value that has to be unique.
    public static let notUnique = Code("notUnique")
    /// A to-one relationship would have to lead to several models.
    public static let tooManyLinks = Code("tooManyLinks")
    /// The change can't be inferred; a custom stage can make it.
    public static let notInferable = Code("notInferable")
    /// The store was opened read-only and would have to be changed.
    public static let readOnly = Code("readOnly")
    /// The code of a custom stage threw an error.
    public static let stageFailed = Code("stageFailed")
    /// An operation was requested in a stage that works only outside a stage.
    public static let unavailableInStage = Code("unavailableInStage")
    /// Rows would refer to rows that don't exist.
    public static let danglingReference = Code("danglingReference")
    /// Rows would have been lost, which is a bug of this library.
    public static let lostRows = Code("lostRows")
    /// Another program kept the store locked for longer than ``ModelConfiguration/migrationTimeout``.
    public static let busy = Code("busy")
    /// The copy that is kept beside the store can't be made, or put in its place or removed after the migration.
    public static let backupFailed = Code("backupFailed")
  }

  /// The obstacle to the migration.
  public let code: Code
  /// The file; empty when no file is concerned.
  public package(set) var path: String
  /// The entity concerned; empty when there is none in particular.
  public let entity: String
  /// The property concerned; empty when there is none in particular.
  public let property: String
  /// The number of rows that prevent the migration.
  public let rowCount: Int
  /// The ids of the first of these rows.
  public let rowIDs: [Int64]
  /// The failure in words, without the file.
  public let explanation: String
  /// The error that the code of a custom stage, or the file system, threw.
  public let underlyingError: (any Error)?
  /// Whether the migration had been committed before the error.
  package let isMigrated: Bool

  package init(
    _ code: Code, path: String = "", entity: String = "", property: String = "",
    rowCount: Int = 0, rowIDs: [Int64] = [], explanation: String,
    underlyingError: (any Error)? = nil, isMigrated: Bool = false
  ) {
    self.code = code
    self.path = path
    self.entity = entity
    self.property = property
    self.rowCount = rowCount
    self.rowIDs = rowIDs
    self.explanation = explanation
    self.underlyingError = underlyingError
    self.isMigrated = isMigrated
  }

  /// The failure in words, without any value of a row.
  public var description: String {
    if path.isEmpty { return explanation }
    return "The store \(path) "
      + (isMigrated ? "was migrated, but \(explanation)" : "can't be migrated: \(explanation)")
  }

  public var debugDescription: String { "MigrationError.\(code): \(description)" }
}

extension MigrationError: SpecificError {
  /// A store that can't be migrated can't be opened.
  package var general: SwiftDataError? { .loadIssueModelContainer }
}
