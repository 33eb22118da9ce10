import CSwiftRuntime

/// The stack of the current thread.
package enum ThreadStack {
  /// The number of bytes left; `Int.max` where it can't be determined.
  @inline(__always)
  package static var room: Int { swift_data_stack_room() }
}
