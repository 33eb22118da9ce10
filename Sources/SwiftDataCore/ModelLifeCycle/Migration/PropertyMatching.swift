/// Which property of an earlier form of an entity each property comes from.
///
/// A property with another `originalName` than its name comes from the one that had this name, or the same original
/// name; every other one from the one of its own name. No two come from one.
package struct PropertyMatching {
  private var sources: [String: PropertyDescription] = [:]
  /// What nothing comes from.
  package private(set) var removed: [PropertyDescription] = []

  package init(from old: EntityDescription, to new: EntityDescription) {
    var free = old.properties
    func take(_ property: PropertyDescription, _ condition: (PropertyDescription) -> Bool) -> Bool {
      guard let position = free.firstIndex(where: condition) else { return false }
      sources[property.name] = free.remove(at: position)
      return true
    }
    let renamed = new.properties.filter { $0.originalName != $0.name }
    var open: [PropertyDescription] = []
    // A later version keeps the original name, so that the property's own name comes first.
    for property in renamed
    where !take(
      property, { $0.name == property.name && $0.originalName == property.originalName })
    {
      open.append(property)
    }
    for property in open {
      if take(property, { $0.name == property.originalName }) { continue }
      if take(property, { $0.originalName == property.originalName }) { continue }
      _ = take(property) { $0.name == property.name }
    }
    for property in new.properties where property.originalName == property.name {
      if take(property, { $0.name == property.name }) { continue }
      // An earlier version said what it was called before.
      _ = take(property) { $0.originalName == property.name }
    }
    removed = free
  }

  /// What the property comes from; nil when it is new.
  package subscript(property: PropertyDescription) -> PropertyDescription? {
    sources[property.name]
  }
}
