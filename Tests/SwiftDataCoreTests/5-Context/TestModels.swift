@testable import SwiftDataCore

/// Models without properties, for tests of a context's parts.
final class TestBook: PersistentModel {
  let _$modelState = _ModelState()

  init() {}
  init(backingData: any BackingData<TestBook>) {}
  init(_hollow: _HollowModel) {}

  var persistentBackingData: any BackingData<TestBook> {
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

final class TestAuthor: PersistentModel {
  let _$modelState = _ModelState()

  init() {}
  init(backingData: any BackingData<TestAuthor>) {}
  init(_hollow: _HollowModel) {}

  var persistentBackingData: any BackingData<TestAuthor> {
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
