import Foundation
import SwiftDataCore

// `@Query` is described at ``SwiftDataCore/Query``. Its forms are those of that type's initialisers; the forms with
// SwiftUI's transactions and animations don't exist here.

/// All models of a class.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query() =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that a descriptor describes.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(_ descriptor: FetchDescriptor<Element>) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in an order.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = []
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in the order of one property.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Value: Comparable, Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in the order of one property.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Value: Comparable, Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

// MARK: - Sections

/// The models that a descriptor describes, in sections.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  _ descriptor: FetchDescriptor<Element>, sectionBy sectionKeyPath: KeyPath<Element, String>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in sections.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  sectionBy sectionKeyPath: KeyPath<Element, String>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in sections and the order of one property.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Value: Comparable, Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in sections and the order of one property.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Value: Comparable, Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that a descriptor describes, in sections.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  _ descriptor: FetchDescriptor<Element>, sectionBy sectionKeyPath: KeyPath<Element, String?>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in sections.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  sectionBy sectionKeyPath: KeyPath<Element, String?>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in sections and the order of one property.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Value: Comparable, Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>,
  order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String?>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// The models that satisfy a predicate, in sections and the order of one property.
@attached(accessor)
@attached(peer, names: prefixed(_))
public macro Query<Value: Comparable, Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>,
  order: SortOrder = .forward, sectionBy sectionKeyPath: KeyPath<Element, String?>
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")
