import Foundation
import SwiftDataCore

/// Where a container keeps models, and how: a file, memory, read-only.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible,
  DataStoreConfiguration
{
  public typealias Store = DefaultStore

  /// The CloudKit database that a store would mirror. There is no CloudKit off Apple's systems: the value
  /// is kept so that code compiles, and has no effect.
  public struct CloudKitDatabase: Hashable, Sendable {
    fileprivate let name: String?
    fileprivate let isAutomatic: Bool
    public static var automatic: CloudKitDatabase { .init(name: nil, isAutomatic: true) }
    public static var none: CloudKitDatabase { .init(name: nil, isAutomatic: false) }
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      .init(name: privateDBName, isAutomatic: false)
    }
  }

  /// The folder that several programs share. Off Apple's systems a group is a folder of that name beside
  /// the program's own in the user's data folder.
  public struct GroupContainer: Hashable, Sendable {
    fileprivate let identifier: String?
    fileprivate let isAutomatic: Bool
    public static var automatic: GroupContainer { .init(identifier: nil, isAutomatic: true) }
    public static var none: GroupContainer { .init(identifier: nil, isAutomatic: false) }
    public static func identifier(_ groupName: String) -> GroupContainer {
      .init(identifier: groupName, isAutomatic: false)
    }
  }

  /// The name, unique in a container; also the file's name without its ending.
  public let name: String
  /// The file. For a store in memory a name that no other store has.
  public let url: URL
  /// The models kept here; nil means all of the container.
  public var schema: Schema?
  /// False opens the store read-only.
  public let allowsSave: Bool
  public let isStoredInMemoryOnly: Bool
  /// The key of attributes with `.allowsCloudEncryption`; needed as soon as there is one. An addition to Apple's
  /// interface.
  public var encryptionKey: EncryptionKey?
  public let groupContainer: GroupContainer
  public let cloudKitDatabase: CloudKitDatabase
  /// How much of its history the store keeps. An addition to Apple's interface.
  public var historyRetention = HistoryRetention.standard
  /// How much memory the store's connections may take. An addition to Apple's interface.
  public var memory = StoreMemory.standard
  /// What becomes of the copy of the file that a migration makes first. An addition to Apple's interface.
  public var migrationBackup = MigrationBackup.automatic
  /// How many seconds opening waits for a migration by another process. An addition to Apple's interface.
  public var migrationTimeout: TimeInterval = 60

  public var groupAppContainerIdentifier: String? { groupContainer.identifier }
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.name }
  public var id: URL { url }

  /// The default file, or memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// The default file, or memory, for some of the container's models.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A file named `name` in the program's data folder, or memory.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true, groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? "default"
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

  /// A file of the caller's choice.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    isStoredInMemoryOnly = false
    groupContainer = .none
    self.cloudKitDatabase = cloudKitDatabase
  }

  /// The user's data folder (XDG Base Directory Specification; Application Support on Apple's systems) and in it
  /// one folder a program, because programs off Apple's systems aren't sandboxed from each other.
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

  /// The file without symbolic links on the way: what belongs to a store lies beside the file itself.
  package var resolvedURL: URL {
    URL(filePath: StoreLocation.resolved(url.path), directoryHint: .notDirectory)
  }

  /// Checks that the name can be a file's.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameTooLong`` over 255 bytes with the ending,
  ///   ``SwiftDataError/configurationFileNameContainsInvalidCharacters`` for `/` and NUL or an empty name.
  public func validate() throws {
    guard name.utf8.count + ".store-wal".utf8.count <= 255 else {
      throw SwiftDataError.configurationFileNameTooLong
    }
    guard !name.isEmpty, !name.contains("/"), !name.contains("\0") else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters
    }
  }

  public var debugDescription: String {
    "ModelConfiguration(name: \(name), url: \(url), isStoredInMemoryOnly: \(isStoredInMemoryOnly),"
      + " allowsSave: \(allowsSave))"
  }
}
