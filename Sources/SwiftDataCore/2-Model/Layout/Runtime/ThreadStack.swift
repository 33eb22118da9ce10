import CSwiftRuntime

/// The stack of the current thread.
enum ThreadStack {
  /// The number of bytes left; `Int.max` where it can't be determined.
  @inline(__always)
  static var room: Int { swift_data_stack_room() }
}
