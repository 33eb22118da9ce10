#if OSD_PLAIN_MAP
  /// A weak reference to an object.
  struct WeakAddress {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
  }
#else
  import CSwiftRuntime

  /// The address of an object that is alive or being destroyed: a weak reference without the allocation that the
  /// object's first weak reference makes.
  ///
  /// It is sound only while the object's memory can't be freed: the state of a model removes the model's address before
  /// that, under the lock under which ``object`` is read.
  struct WeakAddress {
    private let address: UnsafeMutableRawPointer

    @inline(__always)
    init(_ object: AnyObject) { address = Unmanaged.passUnretained(object).toOpaque() }

    @inline(__always)
    init(at address: UnsafeRawPointer) { self.address = UnsafeMutableRawPointer(mutating: address) }

    /// A strong reference to the object; nil when it is being destroyed.
    @inline(__always)
    var object: AnyObject? {
      swift_data_try_retain(address).map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    }
  }
#endif
