/// One difference between two versions of a schema.
public struct SchemaChange: Hashable, Sendable, CustomStringConvertible {
  /// The kind of difference; an open set.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
    /// A new entity.
    public static let addedEntity = Kind("addedEntity")
    /// An entity that the new schema doesn't have.
    public static let removedEntity = Kind("removedEntity")
    /// The class has another superclass, or subclasses where it had none.
    public static let inheritance = Kind("inheritance")
    /// A new property.
    public static let addedProperty = Kind("addedProperty")
    /// A property that the new schema doesn't have.
    public static let removedProperty = Kind("removedProperty")
    /// A property with another name.
    public static let renamedProperty = Kind("renamedProperty")
    /// A different type, or different members of a structure.
    public static let type = Kind("type")
    /// A property that becomes optional, or no longer is.
    public static let optionality = Kind("optionality")
    /// A different destination, cardinality or inverse.
    public static let relationship = Kind("relationship")
    /// Another delete rule.
    public static let deleteRule = Kind("deleteRule")
    /// Different options of an attribute: encrypted, in files, transformed, searchable.
    public static let options = Kind("options")
    /// Other unique constraints.
    public static let constraints = Kind("constraints")
    /// Other indices.
    public static let indices = Kind("indices")
    /// No change of the models: a newer version of the library uses a different layout of the file.
    public static let layout = Kind("layout")
  }

  /// The kind of change.
  public let kind: Kind
  /// The name of the entity.
  public let entity: String
  /// Empty where the change concerns no property.
  public let property: String
  public let description: String

  init(_ kind: Kind, _ entity: String, _ property: String = "", _ description: String) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.description = description
  }
}

extension SchemaDescription {
  /// Returns the differences between these entities and those of `new`, entity by entity in the order of their names.
  package func changes(to new: SchemaDescription) -> [SchemaChange] {
    Set(entities.keys).union(new.entities.keys).sorted().flatMap { name -> [SchemaChange] in
      switch (self[name], new[name]) {
      case (nil, let added?):
        [
          SchemaChange(
            .addedEntity, name, "", "\(name) is new (\(added.properties.count) properties)")
        ]
      case (_?, nil): [SchemaChange(.removedEntity, name, "", "\(name) is gone")]
      case (let old?, let new?): old.changes(to: new)
      case (nil, nil): []
      }
    }
  }
}

extension EntityDescription {
  func changes(to new: EntityDescription) -> [SchemaChange] {
    guard fingerprint != new.fingerprint else { return [] }
    var changes: [SchemaChange] = []
    func note(_ kind: SchemaChange.Kind, _ property: String = "", _ text: String) {
      changes.append(SchemaChange(kind, name, property, text))
    }
    if superentity != new.superentity {
      note(
        .inheritance, "",
        "\(name) has the superclass \(new.superentity ?? "none") instead of"
          + " \(superentity ?? "none")")
    } else if sharesTable != new.sharesTable || table != new.table {
      note(.inheritance, "", "\(name) \(new.sharesTable ? "has" : "no longer has") subclasses")
    }
    let matching = PropertyMatching(from: self, to: new)
    for property in new.properties {
      if let old = matching[property] {
        changes += old.changes(to: property, of: name)
      } else {
        note(
          .addedProperty, property.name,
          "\(name).\(property.name) is new: \(property.typeDescription)")
      }
    }
    for property in matching.removed {
      note(
        .removedProperty, property.name,
        "\(name).\(property.name) is gone: \(property.typeDescription)")
    }
    if Set(uniqueness) != Set(new.uniqueness) {
      note(.constraints, "", "\(name) is unique by \(Self.list(new.uniqueness))")
    }
    if Set(indices) != Set(new.indices) || Set(spatialIndices) != Set(new.spatialIndices) {
      note(.indices, "", "\(name) is indexed by \(Self.list(new.indices + new.spatialIndices))")
    }
    if changes.isEmpty { note(.layout, "", "\(name) is laid out in another way") }
    return changes
  }

  private static func list(_ columns: [[String]]) -> String {
    columns.isEmpty
      ? "nothing" : columns.map { $0.joined(separator: " + ") }.joined(separator: ", ")
  }
}

extension PropertyDescription {
  package var typeDescription: String {
    if let relationship {
      return (relationship.isToMany ? "[\(relationship.destination)]" : relationship.destination)
        + (isOptional ? "?" : "")
    }
    return type + (isOptional ? "?" : "")
  }

  private struct Member: Hashable {
    let path: [String]
    let type: String
    let isOptional: Bool
  }

  private var members: Set<Member> {
    Set(
      columns.filter { !$0.members.isEmpty }.map {
        Member(path: $0.members, type: $0.type, isOptional: $0.isOptional)
      })
  }

  /// Whether a member of an optional structure is required in one of the descriptions only.
  private func requires(otherThan new: PropertyDescription) -> Bool {
    columns.contains { old in
      guard let isRequired = old.isRequiredMember else { return false }
      return new.columns.contains {
        $0.members == old.members && $0.isRequiredMember == !isRequired
      }
    }
  }

  func changes(to new: PropertyDescription, of entity: String) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    func note(_ kind: SchemaChange.Kind, _ text: String) {
      changes.append(SchemaChange(kind, entity, new.name, "\(entity).\(new.name) \(text)"))
    }
    if name != new.name { note(.renamedProperty, "was called \(name)") }
    if (relationship == nil) != (new.relationship == nil) {
      note(.type, "is \(new.typeDescription) instead of \(typeDescription)")
      return changes
    }
    if let old = relationship, let relationship = new.relationship {
      if old.destination != relationship.destination || old.isToMany != relationship.isToMany {
        note(.relationship, "is \(new.typeDescription) instead of \(typeDescription)")
      }
      if old.inverse != relationship.inverse {
        note(
          .relationship,
          "has the inverse \(relationship.inverse ?? "none") instead of \(old.inverse ?? "none")")
      }
      if old.deleteRule != relationship.deleteRule {
        note(
          .deleteRule,
          "has the delete rule \(relationship.deleteRule) instead of \(old.deleteRule)")
      }
    } else if type != new.type {
      note(.type, "is \(new.typeDescription) instead of \(typeDescription)")
    } else if isOptional == new.isOptional, members != new.members || requires(otherThan: new) {
      note(.type, "has other members")
    }
    if isOptional != new.isOptional {
      note(.optionality, new.isOptional ? "may be nil now" : "may not be nil any more")
    }
    var storage = storage
    storage.isPreserved = new.storage.isPreserved
    if storage != new.storage { note(.options, "has other options") }
    if hashModifier != new.hashModifier { note(.options, "has another hash modifier") }
    return changes
  }
}
