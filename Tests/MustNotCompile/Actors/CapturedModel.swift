import SwiftData

@Model
final class CapturedRecord {
  var name: String = ""

  init() {}
}

let sharedRecord = CapturedRecord()

func capture(_ record: CapturedRecord, _ context: ModelContext) {
  let work: @Sendable () -> Void = {
    record.name = "other"
    context.insert(record)
  }
  work()
}
