import Foundation
import SwiftDataCore

/// A property with its default value.
public struct SyncedProperty<Model: PersistentModel>: @unchecked Sendable {
  // Unchecked: key paths without captures can be sent anywhere, but `AnyKeyPath` isn't `Sendable`.
  let keyPath: AnyKeyPath
  let value: any Sendable

  /// - Parameters:
  ///   - keyPath: An attribute.
  ///   - value: Its default value.
  public init<Value: Sendable>(_ keyPath: KeyPath<Model, Value>, default value: Value) {
    self.keyPath = keyPath
    self.value = value
  }
}

/// A property that an engine writes for display. It isn't synchronized, and writing it is never an edit.
public struct SyncMark<Model: PersistentModel>: @unchecked Sendable {
  // Unchecked for the same reason as above.
  let keyPath: AnyKeyPath
  let kind: SyncMarkKind

  /// Marks a property as showing whether the model has something to send: it is set when the engine detects an edit,
  /// and cleared in the transaction that records the agreement of both sides.
  public static func hasEdits(_ keyPath: KeyPath<Model, Bool>) -> SyncMark {
    SyncMark(keyPath: keyPath, kind: .hasEdits)
  }

  /// Marks a property as showing when both sides last came to agree, by the local clock; a pull without changes doesn't
  /// modify it.
  public static func lastAgreed(_ keyPath: KeyPath<Model, Date>) -> SyncMark {
    SyncMark(keyPath: keyPath, kind: .lastAgreed)
  }
}

enum SyncMarkKind { case hasEdits, lastAgreed }
