import Foundation
import SwiftData

/// A property with the value that it has when nobody has said anything else.
public struct SyncedProperty<Model: PersistentModel>: @unchecked Sendable {
  // Unchecked: key paths that capture nothing can go anywhere, but `AnyKeyPath` doesn't say so.
  let keyPath: AnyKeyPath
  let value: any Sendable

  /// - Parameters:
  ///   - keyPath: An attribute.
  ///   - value: Its value when nobody has said anything else.
  public init<Value: Sendable>(_ keyPath: KeyPath<Model, Value>, default value: Value) {
    self.keyPath = keyPath
    self.value = value
  }
}

/// A property that an engine keeps for display. It stays here and is no edit, whoever writes it.
public struct SyncMark<Model: PersistentModel>: @unchecked Sendable {
  // Unchecked for the reason above.
  let keyPath: AnyKeyPath
  let kind: SyncMarkKind

  /// Whether the model has something to send: set when the engine notices an edit, cleared in the transaction in which
  /// it books that both sides agree.
  public static func hasEdits(_ keyPath: KeyPath<Model, Bool>) -> SyncMark {
    SyncMark(keyPath: keyPath, kind: .hasEdits)
  }

  /// When both sides last came to agree, by the local clock; a pull that finds nothing new leaves it as it is.
  public static func lastAgreed(_ keyPath: KeyPath<Model, Date>) -> SyncMark {
    SyncMark(keyPath: keyPath, kind: .lastAgreed)
  }
}

enum SyncMarkKind { case hasEdits, lastAgreed }
