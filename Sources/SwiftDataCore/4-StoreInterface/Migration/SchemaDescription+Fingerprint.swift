extension EntityDescription {
  /// A text of everything that decides whether rows of the entity can be read and written as they are. Two entities
  /// with equal texts need no migration.
  ///
  /// Default values, `originalName` and `.preserveValueOnDeletion` aren't included, because they change nothing in the
  /// file. For encrypted attributes `originalName` is, see `PropertyDescription`.
  package var fingerprint: String { fingerprint(of: modelFingerprint) }

  /// The part of the fingerprint that depends on the model, and not on the layout by this version of the library.
  package var modelFingerprint: String { modelFingerprint(tellsRequiredMembers: true) }

  /// The fingerprint by earlier versions of the library, which didn't distinguish the members of optional structures
  /// that may be nil from others; nil where it is the same.
  package var formerFingerprint: String? {
    guard columns.contains(where: { $0.isRequiredMember != nil }) else { return nil }
    return fingerprint(of: modelFingerprint(tellsRequiredMembers: false))
  }

  private func fingerprint(of model: String) -> String {
    var text = model
    for object in objects { text += object.statement + "\n" }
    for table in searchTables { text += table + "\n" }
    return text
  }

  private func modelFingerprint(tellsRequiredMembers: Bool) -> String {
    var text = "\(name) \(table) \(superentity ?? "-") \(sharesTable)\n"
    for property in properties { text += property.fingerprint(tellsRequiredMembers) + "\n" }
    text += "unique \(uniqueness)\nindex \(indices)\nrtree \(spatialIndices)\n"
    return text
  }

  /// The description where an earlier version of the library made it and the models are otherwise equal: with what
  /// `models` tells of required members.
  package func completed(by models: EntityDescription) -> EntityDescription {
    guard properties.contains(where: \.lacksRequiredMembers),
      modelFingerprint(tellsRequiredMembers: false)
        == models.modelFingerprint(tellsRequiredMembers: false)
    else { return self }
    var result = self
    for (index, property) in models.properties.enumerated()
    where result.properties.indices.contains(index) {
      result.properties[index].takeRequiredMembers(of: property)
    }
    return result
  }
}

extension SchemaDescription {
  /// The description with all entities completed by those of the same name.
  ///
  /// - Parameter areOwn: Whether the rows were written with these models. Rows of other models, which are otherwise
  ///   equal, may lack values for required members, so that entities with such members aren't completed.
  package func completed(by models: SchemaDescription, areOwn: Bool) -> SchemaDescription {
    var result = self
    for (name, entity) in entities {
      guard let models = models[name] else { continue }
      guard areOwn || !models.columns.contains(where: { $0.isRequiredMember == true }) else {
        continue
      }
      result.entities[name] = entity.completed(by: models)
    }
    return result
  }
}

extension PropertyDescription {
  /// Whether an earlier version of the library described the property, and didn't tell which members are required.
  fileprivate var lacksRequiredMembers: Bool {
    columns.contains { $0.kind == .presence }
      && columns.contains { $0.kind != .presence && $0.isRequiredMember == nil }
  }

  fileprivate mutating func takeRequiredMembers(of other: PropertyDescription) {
    for (index, column) in other.columns.enumerated() where columns.indices.contains(index) {
      columns[index].isRequiredMember = column.isRequiredMember
    }
  }

  /// Whether the descriptions are equal, but for required members where one of them doesn't tell these.
  package func isSame(as other: PropertyDescription) -> Bool {
    guard lacksRequiredMembers || other.lacksRequiredMembers else { return self == other }
    var result = self
    result.takeRequiredMembers(of: other)
    return result == other
  }

  fileprivate func fingerprint(_ tellsRequiredMembers: Bool) -> String {
    var text = "\(name) \(type) \(isOptional) \(hashModifier ?? "-")"
    text += " \(storage.transformerName ?? "-") \(storage.isOpaque) \(storage.isEphemeral)"
    text += " \(storage.isExternal) \(storage.isEncrypted) \(storage.isSearchable)"
    // Ciphertext is bound to the original name.
    if storage.isEncrypted { text += " \(originalName)" }
    for column in columns {
      text += "\n  \(column.name) \(column.kind) \(column.type) \(column.isOptional)"
      text += " \(column.members)"
      if tellsRequiredMembers, let isRequired = column.isRequiredMember {
        text += isRequired ? " required" : " optional"
      }
    }
    if let relationship {
      text += "\n  to \(relationship.destination) \(relationship.isToMany)"
      text += " \(relationship.deleteRule) \(relationship.inverse ?? "-") \(relationship.place)"
    }
    return text
  }
}
