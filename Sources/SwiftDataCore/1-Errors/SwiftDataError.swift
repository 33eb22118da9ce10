/// The errors of SwiftData itself. Compare with the static members: `catch SwiftDataError.unknownSchema`.
public struct SwiftDataError: Error, Hashable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible
{
  private let code: String
  /// The failure in words, safe to show to a person.
  private let explanation: String
  /// More details for a developer, such as SQL text without values.
  private let detail: String?

  private init(_ code: String, _ explanation: String, detail: String? = nil) {
    self.code = code
    self.explanation = explanation
    self.detail = detail
  }

  /// A fetch in batches of a descriptor that includes pending changes.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    "includePendingChangesWithBatchSize",
    "A fetch in batches can't include pending changes. Set includePendingChanges to false.")
  /// A predicate that can't be evaluated: arithmetic without a result, or nesting that is too deep for the stack.
  public static let unsupportedPredicate = SwiftDataError(
    "unsupportedPredicate", "The predicate can't be evaluated.")
  /// A key path that doesn't lead to a persisted property.
  public static let unsupportedKeyPath = SwiftDataError(
    "unsupportedKeyPath", "The key path doesn't lead to a persisted property.")
  /// Never thrown here: identifiers of pending changes are sorted.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    "sortingPendingChangesWithIdentifiers", "Identifiers of pending changes can't be sorted.")
  /// A sort by a key path that unwraps a computed value by force. Models are sorted in memory where SQL can't.
  public static let unsupportedSortDescriptor = SwiftDataError(
    "unsupportedSortDescriptor",
    "The sort descriptor doesn't name a property that can be sorted by.")
  /// Two configurations of a container with one given name or one file.
  public static let duplicateConfiguration = SwiftDataError(
    "duplicateConfiguration", "Two configurations of the container have the same name or file.")
  /// A configuration whose name is too long for a file name.
  public static let configurationFileNameTooLong = SwiftDataError(
    "configurationFileNameTooLong", "The configuration's name is too long for a file name.")
  /// A configuration whose name has characters that a file name can't have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    "configurationFileNameContainsInvalidCharacters",
    "The configuration's name has characters that a file name can't have.")
  /// A configuration for models that the container's schema doesn't have.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    "configurationSchemaNotFoundInContainerSchema",
    "A configuration names models that the container's schema doesn't have.")
  /// A store that can't be opened. Matches a ``StoreError`` or ``MigrationError`` of such a store, too.
  public static let loadIssueModelContainer = SwiftDataError(
    "loadIssueModelContainer", "The store can't be opened.")
  /// A model whose values break a rule of its schema, or that belongs to another context.
  public static let modelValidationFailure = SwiftDataError(
    "modelValidationFailure", "A model's values break a rule of its schema.")
  /// A model that isn't in a context, where one is needed.
  public static let missingModelContext = SwiftDataError(
    "missingModelContext", "The model isn't in a context.")
  /// A store that a newer version of the schema wrote, without stages that lead back.
  public static let backwardMigration = SwiftDataError(
    "backwardMigration", "The store was written by a newer version of the schema.")
  /// A model that isn't part of the container's schema.
  public static let unknownSchema = SwiftDataError(
    "unknownSchema", "The model isn't part of the container's schema.")
  /// A history token whose later transactions have been deleted.
  public static let historyTokenExpired = SwiftDataError(
    "historyTokenExpired", "The history before the token has been deleted.")
  /// A request for a history that no store of the container keeps.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    "invalidTransactionFetchRequest", "The history request can't be carried out.")
  /// A store whose schema fits no version of the migration plan.
  public static let unknownDataStoreSchema = SwiftDataError(
    "unknownDataStoreSchema", "The store's schema isn't known.")

  /// Makes the code of an addition, which is declared beside that addition.
  package static func code(_ code: String, _ explanation: String) -> SwiftDataError {
    SwiftDataError(code, explanation)
  }

  /// The same error with an exact explanation; it still matches the static member.
  package func explained(_ explanation: String, detail: String? = nil) -> SwiftDataError {
    SwiftDataError(code, explanation, detail: detail)
  }

  public var description: String { explanation }
  public var debugDescription: String {
    "SwiftDataError.\(code): \(explanation)" + (detail.map { " [\($0)]" } ?? "")
  }

  /// Compares errors by their kind, regardless of the explanation.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.code == rhs.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Lets `catch SwiftDataError.unknownSchema` also match an error that states the same more exactly.
  public static func ~= (lhs: SwiftDataError, rhs: any Error) -> Bool {
    (rhs as? SwiftDataError) == lhs || (rhs as? any SpecificError)?.general == lhs
  }
}

/// A more exact error of a part of the framework: an instance of an error that Apple's interface names.
package protocol SpecificError: Error {
  /// The error that Apple's framework throws in this case; nil when there is none.
  var general: SwiftDataError? { get }
}
