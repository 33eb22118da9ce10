/// Has the heap grow by stretches while something makes many small objects.
///
/// On a thread that isn't the first one glibc lets its heap grow by as many pages as the next object needs, mostly one, and
/// asks the system each time (`grow_heap` in its malloc/arena.c): with models that was an eighth of a fetch's time. A
/// larger piece that is taken and given back at once leaves room for the objects that follow. It is smaller than what glibc
/// would take from elsewhere or return to the system (128 KiB, mallopt(3)).
package struct HeapRoom {
  private static let stretch = 96 * 1024
  /// The objects that a stretch has room for, by far the most with some texts.
  @usableFromInline static var objects: Int { 128 }

  @usableFromInline var count = 0

  @inlinable
  package init() {}

  /// Notes that another object is about to be made. The first ones get no room: most fetches are small.
  @inlinable
  @inline(__always)
  package mutating func next() {
    count &+= 1
    if count & (Self.objects - 1) == 0 { Self.make() }
  }

  /// Notes that several objects are about to be made, fewer than a stretch has room for.
  package mutating func next(_ objects: Int) {
    let before = count
    count &+= objects
    if before / Self.objects != count / Self.objects { Self.make() }
  }

  /// Makes room for what takes about a stretch.
  @inline(never)
  package static func make() {
    UnsafeMutableRawPointer.allocate(byteCount: stretch, alignment: 8).deallocate()
  }
}
