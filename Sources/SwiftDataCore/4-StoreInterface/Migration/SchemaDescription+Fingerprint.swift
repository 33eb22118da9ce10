extension EntityDescription {
  /// A text of everything that decides whether rows of the entity can be read and written as they are. Two entities
  /// with equal texts need no migration.
  ///
  /// Default values, `originalName` and `.preserveValueOnDeletion` aren't included, because they change nothing in the
  /// file. For encrypted attributes `originalName` is, see `PropertyDescription`.
  package var fingerprint: String {
    var text = modelFingerprint
    for object in objects { text += object.statement + "\n" }
    for table in searchTables { text += table + "\n" }
    return text
  }

  /// The part of the fingerprint that depends on the model, and not on the layout by this version of the library.
  package var modelFingerprint: String {
    var text = "\(name) \(table) \(superentity ?? "-") \(sharesTable)\n"
    for property in properties { text += property.fingerprint + "\n" }
    text += "unique \(uniqueness)\nindex \(indices)\nrtree \(spatialIndices)\n"
    return text
  }
}

extension PropertyDescription {
  fileprivate var fingerprint: String {
    var text = "\(name) \(type) \(isOptional) \(hashModifier ?? "-")"
    text += " \(storage.transformerName ?? "-") \(storage.isOpaque) \(storage.isEphemeral)"
    text += " \(storage.isExternal) \(storage.isEncrypted) \(storage.isSearchable)"
    // Ciphertext is bound to the original name.
    if storage.isEncrypted { text += " \(originalName)" }
    for column in columns {
      text += "\n  \(column.name) \(column.kind) \(column.type) \(column.isOptional)"
      text += " \(column.members)"
    }
    if let relationship {
      text += "\n  to \(relationship.destination) \(relationship.isToMany)"
      text += " \(relationship.deleteRule) \(relationship.inverse ?? "-") \(relationship.place)"
    }
    return text
  }
}
