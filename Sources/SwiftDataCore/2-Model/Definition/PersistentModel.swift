import Foundation
import Observation

/// An interface that lets SwiftData manage a class as a stored model. `@Model` writes the conformance.
///
/// The requirements whose names begin with `_$` are the macro's: they move values between the object and
/// a row by position, without dictionaries or key paths.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The topmost model class of an inheritance tree; the class itself without inheritance.
  associatedtype Root: PersistentModel = Self

  /// Makes a model over `backingData`.
  init(backingData: any BackingData<Self>)

  /// The model's values as seen by code that works with key paths.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The metadata that the macro reads from the class's declaration: one element for each persisted property.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The model's state: identity, context, changes.
  var _$modelState: _ModelState { get }

  /// The location of the state.
  var _$modelPlace: _ModelPlace { get }

  /// Makes an instance without any loaded property.
  init(_hollow: _HollowModel)

  func _$encode(into writer: inout _RowWriter)
  func _$encode(_ index: Int, into writer: inout _RowWriter)
  func _$decode(from reader: inout _RowReader) throws
  func _$decode(_ index: Int, from reader: inout _RowReader) throws
  func _$clear(_ index: Int)
}

extension PersistentModel {
  /// The location of the state, for a class that has its state in a separate object.
  public var _$modelPlace: _ModelPlace {
    let state = _$modelState
    if state.owner !== self { state.fields.pointee.traits.insert(.isApart) }
    return _ModelPlace(state.fields)
  }

  /// The identity of the model. Temporary until the first save.
  public var persistentModelID: PersistentIdentifier {
    let state = _$modelState
    if let original = state.original { return original.persistentModelID }
    return state.identifier(
      entityName: state.plan?.name ?? Schema.entityName(for: type(of: self)))
  }

  /// The identifier of the model.
  public var id: PersistentIdentifier { persistentModelID }

  /// The context that manages the model; nil before insertion, after a committed deletion, and after the context was
  /// released.
  public var modelContext: ModelContext? {
    let state = _$modelState
    if let original = state.original { return original.modelContext }
    return state.flags.contains(.rowDeleted) ? nil : state.context
  }

  /// Whether the model differs from its stored values.
  public var hasChanges: Bool {
    let state = _$modelState
    return state.original?.hasChanges ?? state.hasChanges
  }

  /// Whether the model has been deleted, in its context or in the store.
  public var isDeleted: Bool {
    let state = _$modelState
    return state.original?.isDeleted ?? state.isDeleted
  }

  /// Compares models: two are equal when they are one object or represent the same stored row.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs === rhs || lhs.persistentModelID == rhs.persistentModelID
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(persistentModelID) }

  /// Makes empty backing data for a model that is about to be created.
  public static func createBackingData<Model: PersistentModel>() -> some BackingData<Model> {
    _DetachedBackingData<Model>(for: Model.self)
  }
}
