import SwiftData

@Model
final class SentRecord {
  var name: String = ""

  init() {}
}

@MainActor
func sendToTask(_ record: SentRecord) {
  Task.detached {
    record.name = "other"
  }
}

func sendToMainActor(_ context: ModelContext) throws {
  let record = SentRecord()
  context.insert(record)
  Task { @MainActor in
    record.name = "other"
  }
  record.name = "mine"
}
