/// Makes the heap grow in larger steps while many small objects are created.
///
/// On a thread other than the first one, glibc grows its heap by only as many pages as the next object needs, mostly
/// one, with a system call each time (`grow_heap` in its malloc/arena.c): with models that was an eighth of a fetch's
/// time. Allocating a larger block and freeing it immediately leaves room for the objects that follow. The block is
/// smaller than the size that glibc would allocate elsewhere or return to the system (128 KiB, mallopt(3)).
package struct HeapReservation {
  private static let byteCount = 96 * 1024
  /// The number of objects that a block has room for. Most kinds of objects fit, including those with some texts.
  @usableFromInline static var objects: Int { 128 }

  @usableFromInline var count = 0

  @inlinable
  package init() {}

  /// Counts another object that is about to be created. The first ones get no room: most fetches are small.
  @inlinable
  @inline(__always)
  package mutating func next() {
    count &+= 1
    if count & (Self.objects - 1) == 0 { Self.reserve() }
  }

  /// Counts several objects that are about to be created, fewer than a block has room for.
  package mutating func next(_ objects: Int) {
    let before = count
    count &+= objects
    if before / Self.objects != count / Self.objects { Self.reserve() }
  }

  /// Makes room for objects of about one block.
  @inline(never)
  package static func reserve() {
    #if !OSD_PLAIN_HEAP
      UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8).deallocate()
    #endif
  }
}
