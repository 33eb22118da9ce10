import SwiftData

/// A class that meets Apple's requirements only; its properties use the backing data as in an expansion of `@Model`.
final class Seismograph: PersistentModel {
  struct _SwiftDataNoType {}
  private var _$backingData: any BackingData<Seismograph> = Seismograph.createBackingData()
  private let _$observationRegistrar = ObservationRegistrar()

  var persistentBackingData: any BackingData<Seismograph> {
    get { _$backingData }
    set { _$backingData = newValue }
  }
  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "code", keypath: \Seismograph.code, metadata: Schema.Attribute(.unique)),
      .init(name: "height", keypath: \Seismograph.height, defaultValue: 0.0),
      .init(name: "opened", keypath: \Seismograph.opened),
      .init(name: "colour", keypath: \Seismograph.colour),
      .init(name: "level", keypath: \Seismograph.level),
      .init(name: "inner", keypath: \Seismograph.inner),
      .init(name: "shape", keypath: \Seismograph.shape),
      .init(
        name: "main", keypath: \Seismograph.main,
        metadata: Schema.Relationship(inverse: \Seismograph.branches)),
      .init(name: "branches", keypath: \Seismograph.branches),
    ]
  }

  @_PersistedProperty var code: String
  @_PersistedProperty var height: Double = 0
  @_PersistedProperty var opened: Date?
  @_PersistedProperty var colour: Colour
  @_PersistedProperty var level: Level?
  @_PersistedProperty var inner: Inner?
  @_PersistedProperty var shape: Shape
  var main: Seismograph? {
    get { getValue(forKey: \.main) }
    set { setValue(forKey: \.main, to: newValue) }
  }

  var branches: [Seismograph] {
    get { getValue(forKey: \.branches) }
    set { setValue(forKey: \.branches, to: newValue) }
  }

  init(code: String) {
    self.code = code
    opened = nil
    colour = .green
    level = nil
    inner = nil
    shape = .square
  }

  init(backingData: any BackingData<Seismograph>) {
    _code = _SwiftDataNoType()
    _height = _SwiftDataNoType()
    _opened = _SwiftDataNoType()
    _colour = _SwiftDataNoType()
    _level = _SwiftDataNoType()
    _inner = _SwiftDataNoType()
    _shape = _SwiftDataNoType()
    persistentBackingData = backingData
  }
}

/// A class with plain stored properties.
final class Plate: PersistentModel {
  var persistentBackingData: any BackingData<Plate>
  var name: String
  var area: Double?
  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "name", keypath: \Plate.name),
      .init(name: "area", keypath: \Plate.area),
    ]
  }

  init(name: String, area: Double?) {
    persistentBackingData = Plate.createBackingData()
    self.name = name
    self.area = area
  }

  init(backingData: any BackingData<Plate>) {
    persistentBackingData = backingData
    name = backingData.getValue(forKey: \.name)
    area = backingData.getValue(forKey: \.area)
  }
}
