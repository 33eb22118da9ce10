/// One row passed on by a store; the cells are valid during that call only.
@usableFromInline
package struct RowView {
  /// The plan of the row's own entity, which may be a subclass of the requested one. The store keeps it alive.
  @inlinable package var plan: EntityPlan { planReference.plan }
  @usableFromInline let planReference: PlanReference
  @usableFromInline package let rowID: Int64
  /// The columns of `plan`.
  @usableFromInline package let cells: UnsafeBufferPointer<_Cell>
  /// The cache in which short texts of the row are looked up.
  @usableFromInline let texts: UnsafeMutablePointer<ShortStringCache>?

  @inlinable
  @inline(__always)
  package init(plan: EntityPlan, rowID: Int64, cells: UnsafeBufferPointer<_Cell>) {
    self.init(plan: PlanReference(plan), rowID: rowID, cells: cells)
  }

  @inlinable
  @inline(__always)
  package init(
    plan: PlanReference, rowID: Int64, cells: UnsafeBufferPointer<_Cell>,
    texts: UnsafeMutablePointer<ShortStringCache>? = nil
  ) {
    planReference = plan
    self.texts = texts
    self.rowID = rowID
    self.cells = cells
  }

  func isOf(_ plan: EntityPlan) -> Bool { planReference.isTo(plan) }
}
