import Foundation
import Observation
import SwiftDataCore

/// The destination of a relationship to this class and of one within this class.
final class Owner: PersistentModel {
  var name = ""
  var age: Int?
  var home = Place(name: "", point: .init(latitude: 0), isNear: false)
  var parent: Owner?

  let state = _ModelState()
  var _$modelState: _ModelState { state }
  var persistentBackingData: any BackingData<Owner> {
    get { _ModelBackingData(self) }
    set {}
  }

  init() {}
  init(backingData: any BackingData<Owner>) {}
  init(_hollow: _HollowModel) {}

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "name", keypath: \Owner.name),
      .init(name: "age", keypath: \Owner.age),
      .init(name: "home", keypath: \Owner.home),
      .init(name: "parent", keypath: \Owner.parent),
    ]
  }

  func _$encode(into writer: inout _RowWriter) {
    writer.write(_Stored(name)); writer.write(_Stored(age)); writer.write(_Stored(home))
    writer.write(_Stored(parent))
  }

  func _$encode(_ index: Int, into writer: inout _RowWriter) {}
  func _$decode(from reader: inout _RowReader) throws {}
  func _$decode(_ index: Int, from reader: inout _RowReader) throws {}
  func _$clear(_ index: Int) {}
}

extension Owner: Observable {}
