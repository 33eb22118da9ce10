import Foundation
import SwiftDataCore

/// The location and the settings of a container's store: a file, memory, read-only.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible,
  DataStoreConfiguration
{
  public typealias Store = DefaultStore

  /// The CloudKit database that a store would mirror. CloudKit exists only on Apple's systems: the value is kept so
  /// that code compiles, and has no effect.
  public struct CloudKitDatabase: Hashable, Sendable {
    fileprivate let name: String?
    fileprivate let isAutomatic: Bool
    /// The default; without effect here.
    public static var automatic: CloudKitDatabase { .init(name: nil, isAutomatic: true) }
    /// No database; without effect here.
    public static var none: CloudKitDatabase { .init(name: nil, isAutomatic: false) }
    /// A private database; without effect here.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      .init(name: privateDBName, isAutomatic: false)
    }
  }

  /// The folder that several programs share. Outside Apple's systems a group is a folder of that name beside the
  /// program's own in the user's data folder.
  public struct GroupContainer: Hashable, Sendable {
    fileprivate let identifier: String?
    fileprivate let isAutomatic: Bool
    /// The default container.
    public static var automatic: GroupContainer { .init(identifier: nil, isAutomatic: true) }
    /// No container.
    public static var none: GroupContainer { .init(identifier: nil, isAutomatic: false) }
    /// The container with the given name.
    public static func identifier(_ groupName: String) -> GroupContainer {
      .init(identifier: groupName, isAutomatic: false)
    }
  }

  /// The name, unique in a container; also the file's name without its extension. Of configurations to which no name
  /// was given, a container numbers equal ones: `default`, `default 2`.
  public private(set) var name: String
  /// Whether no name was given.
  package var isNameDerived: Bool { nameOrigin.isDerived }
  private let nameOrigin: NameOrigin

  /// Distinguishes no configurations: those with the same name are equal whether it was given or not.
  private struct NameOrigin: Hashable {
    let isDerived: Bool
    static func == (lhs: NameOrigin, rhs: NameOrigin) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// The file. For a store in memory, a unique name.
  public let url: URL
  /// The models stored here; nil means all models of the container.
  public var schema: Schema?
  /// Whether the store can be written; false opens it read-only.
  public let allowsSave: Bool
  /// Whether the store is in memory and ends with the container.
  public let isStoredInMemoryOnly: Bool
  /// The key of attributes with `.allowsCloudEncryption`; required if a file has such an attribute. A store in memory
  /// keeps their values plainly without it. An addition to Apple's interface.
  public var encryptionKey: EncryptionKey?
  /// The folder that applications share.
  public let groupContainer: GroupContainer
  /// The database of CloudKit; without effect here.
  public let cloudKitDatabase: CloudKitDatabase
  /// The part of its history that the store keeps. An addition to Apple's interface.
  public var historyRetention = HistoryRetention.standard
  /// The memory that the store's connections may use. An addition to Apple's interface.
  public var memory = StoreMemory.standard
  /// The treatment of the copy of the file that a migration makes first. An addition to Apple's interface.
  public var migrationBackup = MigrationBackup.automatic
  /// The number of seconds that opening waits for a migration by another process. An addition to Apple's interface.
  public var migrationTimeout: TimeInterval = 60

  /// The name of the folder that applications share; nil when none was given.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }
  /// The name of CloudKit's database; nil when none was given.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.name }
  public var id: URL { url }

  /// Creates a configuration for the default file, or memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration for the default file, or memory, with some of the container's models.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration for a file named `name` in the program's data folder, or memory.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true, groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? "default"
    nameOrigin = NameOrigin(isDerived: name == nil)
    self.schema = schema
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    url =
      isStoredInMemoryOnly
      ? URL(filePath: "/dev/null").appending(path: UUID().uuidString)
      : Self.dataFolder(groupContainer).appending(path: "\(self.name).store")
  }

  /// Creates a configuration for a given file; for memory when it is `/dev/null` or a name below it.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    nameOrigin = NameOrigin(isDerived: name == nil)
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    // The URL of a configuration for memory is a name below the device.
    isStoredInMemoryOnly = url.path == "/dev/null" || url.path.hasPrefix("/dev/null/")
    groupContainer = .none
    self.cloudKitDatabase = cloudKitDatabase
  }

  /// The user's data folder (XDG Base Directory Specification; Application Support on Apple's systems) with one folder
  /// per program inside it, because programs outside Apple's systems aren't sandboxed from each other.
  private static func dataFolder(_ group: GroupContainer) -> URL {
    let program = group.identifier ?? ProcessInfo.processInfo.processName
    let environment = ProcessInfo.processInfo.environment
    let folder: URL
    if let given = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
      .first
    {
      folder = given
    } else if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") {
      folder = URL(filePath: home, directoryHint: .isDirectory)
    } else {
      folder = URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
        .appending(path: ".local/share", directoryHint: .isDirectory)
    }
    return folder.appending(path: program, directoryHint: .isDirectory)
  }

  package func named(_ name: String) -> ModelConfiguration {
    var configuration = self
    configuration.name = name
    return configuration
  }

  /// The file with symbolic links resolved: a store's other files are beside the file itself.
  package var resolvedURL: URL {
    URL(filePath: StoreLocation.resolved(url.path), directoryHint: .notDirectory)
  }

  /// Checks that the name is a valid file name.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameTooLong`` for more than 255 bytes with the extension,
  ///   ``SwiftDataError/configurationFileNameContainsInvalidCharacters`` for `/` and NUL or an empty name.
  public func validate() throws {
    guard name.utf8.count + ".store-wal".utf8.count <= 255 else {
      throw SwiftDataError.configurationFileNameTooLong
    }
    // Not characters: one may be a slash with an accent.
    guard !name.isEmpty, !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters
    }
  }

  public var debugDescription: String {
    "ModelConfiguration(name: \(name), url: \(url), isStoredInMemoryOnly: \(isStoredInMemoryOnly),"
      + " allowsSave: \(allowsSave))"
  }
}
