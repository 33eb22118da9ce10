/// A reference to an entity's plan that doesn't retain it: a plain reference would be retained for each row. Code
/// that passes it on keeps the plan alive.
@usableFromInline
package struct PlanReference {
  @usableFromInline let unmanaged: Unmanaged<EntityPlan>

  @inlinable
  @inline(__always)
  package init(_ plan: EntityPlan) { unmanaged = .passUnretained(plan) }

  @inlinable
  @inline(__always)
  package var plan: EntityPlan { unmanaged.takeUnretainedValue() }

  @inline(__always)
  func isTo(_ plan: EntityPlan) -> Bool {
    unmanaged.toOpaque() == Unmanaged.passUnretained(plan).toOpaque()
  }
}
