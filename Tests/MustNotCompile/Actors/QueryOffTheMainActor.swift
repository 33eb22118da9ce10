import SwiftData

@Model
final class ListedRecord {
  var name: String = ""

  init() {}
}

func makeQuery() {
  let query = Query<ListedRecord, [ListedRecord]>(FetchDescriptor<ListedRecord>())
  _ = query.wrappedValue
}
