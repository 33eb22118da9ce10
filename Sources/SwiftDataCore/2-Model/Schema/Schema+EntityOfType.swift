extension Schema.Entity {
  /// Makes the entity that a model class's macro describes.
  package convenience init<Model: PersistentModel>(describing type: Model.Type) {
    self.init(Schema.entityName(for: type))
    for property in type.schemaMetadata { adopt(property) }
    let inherited = ModelInheritance.inheritedCount(of: type)
    inheritedProperties = Array(storedProperties.prefix(inherited))
    storedProperties.removeFirst(inherited)
  }

  private func adopt(_ property: Schema.PropertyMetadata) {
    let valueType = Swift.type(of: property.keypath).valueType
    switch property.metadata {
    case let paths as any PropertyPaths & SchemaProperty:
      let named = paths.propertyPaths.filter { !$0.isEmpty }
      if paths.isUnique { uniquenessConstraints += named } else { indices += named }
      return
    case let relationship as Schema.Relationship where Schema.destination(of: valueType) == nil:
      describe(relationship.attribute, property, valueType)
    case let relationship as Schema.Relationship:
      describe(relationship, property, valueType)
    case let attribute as Schema.Attribute:
      if Schema.destination(of: valueType) != nil {
        let relationship = Schema.Relationship(originalName: attribute.originalName)
        describe(relationship, property, valueType)
      } else {
        describe(attribute, property, valueType)
      }
    default:
      if Schema.destination(of: valueType) != nil {
        describe(Schema.Relationship(), property, valueType)
      } else {
        describe(Schema.Attribute(), property, valueType)
      }
    }
  }

  private func describe(
    _ relationship: Schema.Relationship, _ property: Schema.PropertyMetadata,
    _ valueType: any Any.Type
  ) {
    relationship.name = property.name
    if relationship.originalName.isEmpty { relationship.originalName = property.name }
    relationship.keypath = property.keypath
    relationship.valueType = valueType
    if let destination = Schema.destination(of: valueType) {
      relationship.destination = Schema.entityName(for: destination)
    }
    if let inverse = relationship.inverseKeyPath {
      relationship.inverseName = KeyPathName.path(inverse)
    }
    storedProperties.append(relationship)
  }

  private func describe(
    _ attribute: Schema.Attribute, _ property: Schema.PropertyMetadata, _ valueType: any Any.Type
  ) {
    let originalName = attribute.originalName.isEmpty ? property.name : attribute.originalName
    let described: Schema.Attribute
    if !attribute.isCodable, !attribute.isTransformable,
      case .composite(let shape, _)? = PropertyShape.shape(of: valueType)
    {
      let composite = Schema.CompositeAttribute(
        name: property.name, originalName: originalName, options: attribute.options,
        valueType: valueType, defaultValue: property.defaultValue,
        hashModifier: attribute.hashModifier)
      composite.properties = shape.columns.map { column in
        let member = Schema.Attribute(
          name: column.path.joined(separator: "."), valueType: column.kind.valueType)
        member.isOptional = column.isOptional
        return member
      }
      described = composite
    } else {
      described = Schema.Attribute(
        name: property.name, originalName: originalName, options: attribute.options,
        valueType: valueType, defaultValue: property.defaultValue,
        hashModifier: attribute.hashModifier)
    }
    storedProperties.append(described)
    if described.isUnique { uniquenessConstraints.append([property.name]) }
  }
}

extension Schema.Relationship {
  /// The attribute that is meant where `@Relationship` is at a property whose values are no models.
  fileprivate var attribute: Schema.Attribute {
    isUnique
      ? Schema.Attribute(.unique, originalName: originalName, hashModifier: hashModifier)
      : Schema.Attribute(originalName: originalName, hashModifier: hashModifier)
  }
}
