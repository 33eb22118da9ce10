/// The rows that one fetch returned: accessing a relationship of one model loads it for its neighbours too.
@usableFromInline
package final class FetchGroup {
  package static let batch = 256
  package let plan: EntityPlan
  // Unchecked exclusivity: each access is a single load or a single append.
  @exclusivity(unchecked) package private(set) var rowIDs: [Int64] = []

  init(_ plan: EntityPlan) { self.plan = plan }

  func append(_ state: _ModelState, _ rowID: Int64) {
    // Several owners may lead to one row; loading a list twice would lose its pending changes.
    if let group = state.fields.pointee.group,
      group.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
    {
      return
    }
    state.group = self
    state.groupPosition = Int32(clamping: rowIDs.count)
    rowIDs.append(rowID)
  }
}
