import SwiftData

@Model
final class BoundRecord {
  var name: String = ""

  init() {}
}

func requireSendable<Value: Sendable>(_: Value) {}

func sendModels(_ record: BoundRecord, _ context: ModelContext) {
  requireSendable(record)
  requireSendable([record])
  requireSendable(context)
  requireSendable(record.persistentModelID)
}

struct SendableHolder: Sendable {
  let record: BoundRecord
  let context: ModelContext
}
