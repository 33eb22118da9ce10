import Foundation
import SwiftDataCore

/// The mapping of a model class to a server's objects: names, columns, references.
struct ModelForm {
  let plan: EntityPlan
  let policy: SyncPolicy
  /// The index of the property that holds the sync key, and its column.
  let key: Int
  let keyColumn: ColumnPlan
  /// The synchronized attributes, including the key.
  let attributes: [Int]
  /// Whether a property is one of ``attributes``.
  let isTaken: [Bool]
  /// The attributes whose values the column alone can't validate.
  let checked: [Int]
  /// The synchronized to-one relationships, with the entities that they refer to.
  let relationships: [(property: Int, destination: String)]
  /// The columns of required references to objects that only one object at a time can refer to.
  let exclusive: [Int]
  /// The constraints by which two objects with different IDs can collide, as columns; they include the key's constraint
  /// if several classes share the key, and the required end of one-to-one relationships.
  let uniqueness: [[Int]]
  /// The to-many relationships whose pairs belong to this class: lists of keys.
  private(set) var lists: [ModelList] = []
  /// The attributes that hold keys of other entities.
  let references: [String: String]
  /// The properties that aren't synchronized, with the values for models from the server.
  let local: LocalProperties
  /// The default values of an annotated class, of which only these properties are synchronized; nil for other classes.
  private(set) var annotations: SyncValues?

  /// The values of the synchronized properties in a row of which nothing is known, as far as there are any; without the
  /// lists.
  var initial: SyncValues = [:]

  /// The properties that aren't synchronized.
  let excluded: Set<Int>
  /// The attributes whose large values are attachments.
  var attachments: [Int] = []

  var entity: String { plan.name }
  /// The position of the key's column in the plan.
  var keyPosition: Int { plan.properties[key].columns.lowerBound }

  /// - Throws: ``SyncError/Code/unsupported`` when the class can't be synchronized as described.
  init(_ model: SyncedModel, _ container: ModelContainer) throws {
    guard let plan = container.core.plan(of: model.type) else {
      throw SyncError(.unsupported, "\(model.type) isn't part of the container's schema")
    }
    func position(_ keyPath: AnyKeyPath) throws -> Int {
      guard let index = plan.property(for: keyPath) else {
        throw SyncError(.unsupported, "\(keyPath) isn't a stored property of \(plan.name)")
      }
      return index
    }
    self.plan = plan
    policy = model.policy
    key = try position(model.key)
    guard plan.properties[key].columns.count == 1, let column = plan.properties[key].columns.first,
      [.uuid, .text, .integer].contains(plan.columns[column].kind),
      !plan.columns[column].isOptional,
      plan.uniqueness.contains([column]), plan.properties[key].storage.isComparable
    else {
      throw SyncError(
        .unsupported,
        "\(plan.name).\(plan.properties[key].name) can't be a sync key: make it a UUID, a String or"
          + " an integer with @Attribute(.unique)")
    }
    keyColumn = plan.columns[column]
    if case .latestWins(let property) = policy, plan.propertiesByName[property] == nil {
      throw SyncError(
        .unsupported, "\(plan.name) has no property \(property), which is to tell who was the last")
    }
    local = try LocalProperties(model, plan, position)
    let excluded = try Set(model.excluded.map(position)).union(local.properties)
    let named = model.isAnnotated ? try Set(model.defaults.map { try position($0.keyPath) }) : nil
    var attributes: [Int] = []
    var relationships: [(property: Int, destination: String)] = []
    for (index, property) in plan.properties.enumerated() where !property.columns.isEmpty {
      if excluded.contains(index) || !(named?.contains(index) ?? true) { continue }
      guard let relationship = property.relationship else {
        attributes.append(index)
        continue
      }
      relationships.append((index, relationship.destinationEntity))
    }
    self.excluded = excluded
    self.attributes = attributes
    isTaken = plan.properties.indices.map { attributes.contains($0) }
    checked = attributes.filter { !Self.isSimple(plan.properties[$0]) }
    self.relationships = relationships
    exclusive = relationships.compactMap { index, _ in
      let property = plan.properties[index]
      guard property.columns.count == 1, let relationship = property.relationship,
        !relationship.isOptional, let inverse = relationship.inverse,
        let other = container.core.plan(of: relationship.destination)?.properties[inverse],
        other.relationship?.isToMany == false
      else { return nil }
      return property.columns.lowerBound
    }
    let taking = Set(attributes).union(relationships.map(\.property))
    let keyColumns = Array(plan.properties[key].columns)
    let unique = plan.uniqueness.filter { columns in
      (plan.family != nil || columns != keyColumns)
        && columns.allSatisfy { taking.contains(plan.columns[$0].property) }
    }
    uniqueness = unique + exclusive.map { [$0] }.filter { !unique.contains($0) }
    var references: [String: String] = [:]
    for reference in model.references {
      let name = plan.properties[try position(reference.keyPath)].name
      references[name] = container.core.plan(of: reference.destination)?.name
    }
    self.references = references
    if model.isAnnotated {
      annotations = try annotations(model)
    } else {
      lists = plan.relationships.filter { !excluded.contains($0) }
        .compactMap { ModelList($0, of: plan) }
    }
    for index in plan.properties.indices
    where excluded.contains(index) && !local.properties.contains(index) {
      let property = plan.properties[index]
      if property.isOptional || property.columns.isEmpty { continue }
      guard try plan.defaultRow(of: index) != nil else {
        throw SyncError(
          .unsupported,
          "\(plan.name).\(property.name) can't be left out: models from the server would have no"
            + " value for it. Make it optional or give it a default value.")
      }
    }
  }

  /// The entity's description for a ledger.
  var schemaEntity: SyncSchema.Entity {
    var all = references
    for (property, destination) in relationships {
      all[plan.properties[property].name] = destination
    }
    var named: [String: SyncSchema.List] = [:]
    for list in lists {
      named[list.name] = SyncSchema.List(to: list.destination, isOrdered: list.isOrdered)
    }
    return SyncSchema.Entity(
      name: plan.name, references: all, lists: named, policy: policy,
      properties: memberOrder.names,
      initial: initial.merging(lists.map { ($0.name, .list([])) }) { $1 })
  }

  /// Removes the lists whose inverse another class excludes from synchronization.
  mutating func leaveOutLists(excludedBy forms: (_ destination: String) -> [ModelForm]) {
    lists.removeAll { list in
      guard let inverse = list.inverse else { return false }
      return forms(list.destination).contains { $0.excluded.contains(inverse) }
    }
  }

  /// Returns the key as its column holds it; nil for a text that can't be a key.
  func binding(ofKey key: String) -> ColumnValue? {
    switch keyColumn.kind {
    case .uuid:
      UUIDText.isCanonical(key) ? UUIDText.bytes(key).map { .blob($0) } : nil
    case .integer: Int64(key).flatMap { String($0) == key ? .integer($0) : nil }
    default: .text(key)
    }
  }

  /// Returns the local form of a key that is spelled differently: otherwise, one row would have several names and
  /// several entries in the bookkeeping tables.
  func canonical(_ key: String) -> String {
    switch keyColumn.kind {
    case .uuid:
      UUIDText.isCanonical(key) ? key : UUIDText.bytes(key).map { UUIDText.text($0) } ?? key
    case .integer: Int64(key).map { String($0) } ?? key
    default: key
    }
  }

  /// Returns the key that a column holds.
  func key(of value: ColumnValue) -> String? {
    switch (keyColumn.kind, value) {
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      UUIDText.text(bytes)
    case (.integer, .integer(let number)): String(number)
    case (.text, .text(let text)): text
    default: nil
    }
  }
}
