/// Turns a class into a model: its stored variables are kept in a store, and changes to them are observed and saved.
///
/// Every stored `var` is persisted unless it is `@Transient`. A class without a designated
/// initialiser gets a memberwise one.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$backingData), named(persistentBackingData), named(schemaMetadata), named(init),
  named(_$observationRegistrar), named(_SwiftDataNoType), named(access), named(withMutation),
  named(_$core), named(_$state), named(_$modelState), named(_$modelPlace), named(_$observing),
  named(_$encode), named(_$decode), named(_$clear), named(_$at), named(_$inherited))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

/// Specifies how one property is stored.
///
/// - Parameters:
///   - options: Options such as `.unique` and `.externalStorage`.
///   - originalName: The property's name in earlier versions of the schema.
///   - hashModifier: A text that distinguishes two versions of the property that look alike.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributePropertyMacro")

/// Specifies how a property relates the model to others.
///
/// - Parameters:
///   - options: Options: `.unique` and `.ordered`.
///   - deleteRule: The effect on the related models when this one is deleted.
///   - minimumModelCount: The smallest valid number of related models; nil or 0 for no limit.
///   - maximumModelCount: The largest valid number of related models; nil or 0 for no limit.
///   - originalName: The property's name in earlier versions of the schema.
///   - inverse: The key path of the property on the other side.
///   - hashModifier: A text that distinguishes two versions of the property that look alike.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipPropertyMacro")

/// The form of the framework's first beta, with the delete rule in front and without a label.
///
/// - Parameters:
///   - deleteRule: The effect on the related models when this one is deleted.
///   - minimumModelCount: The smallest valid number of related models; nil or 0 for no limit.
///   - maximumModelCount: The largest valid number of related models; nil or 0 for no limit.
///   - originalName: The property's name in earlier versions of the schema.
///   - inverse: The key path of the property on the other side.
///   - hashModifier: A text that distinguishes two versions of the property that look alike.
@available(*, deprecated, message: "Write 'deleteRule:' in front of the rule.")
@attached(peer)
public macro Relationship(
  _ deleteRule: Schema.Relationship.DeleteRule, minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipPropertyMacro")

/// Keeps a stored property out of the store. It needs an initial value or an optional type, since
/// a fetched model starts with it.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "SwiftDataMacros", type: "TransientPropertyMacro")

/// Specifies the combinations of properties that identify a model: written inside a class with `@Model`.
///
/// - Parameter constraints: For each constraint, the key paths whose combined values must be unique.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "UniqueConstraintsMacro")

/// Specifies the combinations of properties that are searched often: written inside a class with `@Model`.
///
/// - Parameter indices: For each index, the key paths in the order of its columns.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Specifies the combinations of properties that are searched often, and the kinds of their indices: written inside a
/// class with `@Model`.
///
/// - Parameter indices: For each index, its kind and the key paths in the order of its columns.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Gives an actor a model container and its own context.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() =
  #externalMacro(module: "SwiftDataMacros", type: "PersistentModelActorMacro")

/// Written by `@Model` on each persisted property, and in classes that declare the members of `@Model` by hand:
/// accessors, and the storage beside the property.
///
/// - Parameters:
///   - index: The property's position among the persisted ones. Without it the value is in `_$backingData`.
///   - isRelative: Whether the properties of a superclass may come first.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(_ index: Int = -1, isRelative: Bool = false) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// The same as `_PersistedProperty`, for a property with `@Attribute(.transformable(by:))`.
///
/// - Parameters:
///   - index: As for `_PersistedProperty`.
///   - isRelative: As for `_PersistedProperty`.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _TransformablePersistedProperty(_ index: Int = -1, isRelative: Bool = false) =
  #externalMacro(module: "SwiftDataMacros", type: "TransformablePersistedPropertyMacro")
