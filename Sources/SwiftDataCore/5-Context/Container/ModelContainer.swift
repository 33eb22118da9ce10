import Dispatch
import Foundation
import Synchronization

/// An app's schema together with the stores that hold its models.
///
/// Its files are open as long as the container, one of its contexts or a batch lives, and are closed when the last of
/// these is released: the files may then be moved or removed. A container whose last owner isn't on the main actor
/// leaves its ``mainContext`` to the main actor, which releases it as soon as it has time: its last save is made there,
/// where its models may be in use. A notification of ``remoteChange`` retains the container while it is posted.
public class ModelContainer: Equatable, @unchecked Sendable {
  // Unchecked because subclasses could add state; everything here is immutable or locked.

  /// The schema of the models.
  public final let schema: Schema
  /// The plan by which the stores are migrated; nil for inferred changes only.
  public final let migrationPlan: (any SchemaMigrationPlan.Type)?
  package final let core: ContainerCore
  // Unchecked: it is read and written on the main actor, and by `deinit`, which has the container to itself.
  private nonisolated(unsafe) var storedMainContext: ModelContext?
  private let assignedDescriptions = Mutex<(any Sendable)?>(nil)
  final let lifetime = ContainerLifetime()
  /// The subscriptions that post ``remoteChange``, once a caller has asked for it.
  final let posting = Mutex<[StoreCommits.Subscription]>([])

  /// - Parameter ownsStores: Whether the stores were made for this container and close with it.
  package init(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?, stores: [any RowStore],
    ownsStores: Bool = false
  ) {
    self.schema = schema
    self.migrationPlan = migrationPlan
    core = ContainerCore(schema: schema, stores: stores, ownsStores: ownsStores)
  }

  init(core: ContainerCore) {
    schema = core.schema
    migrationPlan = nil
    self.core = core
  }

  deinit {
    releaseMainContext()
    leaveRemoteChangePosting()
    lifetime.end()
    HandWrittenStates.releaseGone()
  }

  /// The context of the main actor. It saves by itself; see ``ModelContext/autosaveEnabled``.
  @MainActor
  public var mainContext: ModelContext {
    if let storedMainContext { return storedMainContext }
    let context = ModelContext(core: core, main: self)
    context.autosaveEnabled = true
    storedMainContext = context
    return context
  }

  /// Hands the main context over to the main actor, so that it ends there even if the container ends elsewhere.
  private func releaseMainContext() {
    guard storedMainContext != nil, !MainQueue.isCurrent else { return }
    // No reference in this function may be the last one.
    let handed = TransferredContext(storedMainContext)
    storedMainContext = nil
    DispatchQueue.main.async { handed.context = nil }
  }

  private final class TransferredContext: @unchecked Sendable {
    // Unchecked: it passes from the thread that ends the container to the main actor, and no other code has it.
    var context: ModelContext?
    init(_ context: ModelContext?) { self.context = context }
  }

  /// Removes every model from every store. Models that contexts hold keep their last values. The next refresh of a
  /// `LocalCopy` in the container reads all of its feed; what its document reader stored beside models is removed, too.
  public func erase() throws {
    for store in core.stores { try store.erase() }
  }

  /// Removes every model; a failure is reported to ``SwiftDataLog``, because this method can't throw.
  @available(*, deprecated, renamed: "erase")
  public func deleteAllData() {
    do { try erase() } catch {
      SwiftDataLog.report(.error, "ModelContainer", "deleteAllData failed", error)
    }
  }

  /// The value that was assigned to `configurations`; nil before.
  package final var describedStores: (any Sendable)? {
    get { assignedDescriptions.withLock { $0 } }
    set { assignedDescriptions.withLock { $0 = newValue } }
  }

  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}
