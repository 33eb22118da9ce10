import SwiftData

/// The rules that every ``DataStore`` has to keep, as checks to run from any test framework:
///
///     let conformance = DataStoreConformance { MyConfiguration(url: newTemporaryFile()) }
///     for check in conformance.checks { try conformance.run(check) }
///
/// Each check works on a store of its own and throws a ``ConformanceFailure`` that says what was
/// expected and what the store did; errors of the store pass through. A store may omit the optional
/// parts of the protocol: filtering, sorting, erasing.
public struct DataStoreConformance<Configuration: DataStoreConfiguration> {
  /// One rule.
  public struct Check: CustomStringConvertible {
    /// The rule in a few words.
    public let name: String
    let body: (DataStoreConformance) throws -> Void

    public var description: String { name }
  }

  /// Whether saved data outlives the store object.
  public let isPersistent: Bool
  /// Whether texts can contain U+0000, which some databases can't store.
  public let storesZeroCharacters: Bool
  private let makeConfiguration: () throws -> Configuration

  /// - Parameters:
  ///   - isPersistent: Whether a second store with an equal configuration finds what the first one
  ///     saved.
  ///   - storesZeroCharacters: Whether texts can contain U+0000.
  ///   - makeConfiguration: Returns the configuration of a store that doesn't exist yet, a
  ///     different one at every call. The checks set the schema.
  public init(
    isPersistent: Bool = true, storesZeroCharacters: Bool = true,
    makeConfiguration: @escaping () throws -> Configuration
  ) {
    self.isPersistent = isPersistent
    self.storesZeroCharacters = storesZeroCharacters
    self.makeConfiguration = makeConfiguration
  }

  /// All checks that apply to the store: persistence is left out for a store in memory.
  public var checks: [Check] {
    Self.savingChecks + Self.fetchingChecks + Self.stateChecks + Self.contextChecks
      + Self.relationshipChecks
      + (isPersistent ? Self.persistenceChecks : [])
      + (storesZeroCharacters ? Self.zeroCharacterChecks : [])
  }

  /// Runs one check.
  ///
  /// - Throws: ``ConformanceFailure``, or the store's error.
  public func run(_ check: Check) throws { try check.body(self) }

  /// Runs all checks; a failed check doesn't stop the others.
  ///
  /// - Returns: The error of each failed check, with the check's name.
  public func failures() -> [(check: String, error: any Error)] {
    checks.compactMap { check in
      do {
        try run(check)
        return nil
      } catch {
        return (check.name, error)
      }
    }
  }

  /// The configuration of a new store for the checks' models.
  func configuration() throws -> Configuration {
    var configuration = try makeConfiguration()
    configuration.schema = ConformanceSchema.schema
    try configuration.validate()
    return configuration
  }

  /// A new, empty store.
  func store(named check: String) throws -> CheckedStore<Configuration.Store> {
    try CheckedStore(try configuration(), check: check)
  }
}
