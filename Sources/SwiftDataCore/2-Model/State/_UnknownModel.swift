/// A placeholder for a model of an entity that the schema doesn't have, where a result is required nevertheless.
final class _UnknownModel: PersistentModel {
  let _$modelState = _ModelState()

  init(identifier: PersistentIdentifier?) { _$modelState.flags = .rowDeleted }
  init(backingData: any BackingData<_UnknownModel>) { _$modelState.flags = .rowDeleted }
  init(_hollow: _HollowModel) { _$modelState.flags = .rowDeleted }

  var persistentBackingData: any BackingData<_UnknownModel> {
    get { _ModelBackingData(self) }
    set {}
  }
  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  func _$encode(into writer: inout _RowWriter) {}
  func _$encode(_ index: Int, into writer: inout _RowWriter) {}
  func _$decode(from reader: inout _RowReader) throws {}
  func _$decode(_ index: Int, from reader: inout _RowReader) throws {}
  func _$clear(_ index: Int) {}
}
