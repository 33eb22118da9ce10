#if OSD_PLAIN_STATE
  /// The storage for the state of a model, ``_ModelState``, as a separate allocation: the plain form of the storage
  /// inside the model.
  public struct _ModelCore: ~Copyable {
    @usableFromInline let fields: UnsafeMutablePointer<ModelFields>

    @inlinable
    public init() {
      fields = .allocate(capacity: 1)
      fields.initialize(to: ModelFields())
    }

    deinit {
      fields.pointee.end()
      fields.deallocate()
    }
  }
#else
  /// The storage for the state of a model, ``_ModelState``, inside the model object: the macro gives each class one.
  ///
  /// State in a separate object cost a second allocation, a header and a reference count for each model. The storage
  /// has a stable address, as a mutex has, because it can't be copied or moved out of the object.
  @_rawLayout(like: ModelFields)
  public struct _ModelCore: ~Copyable {
    @usableFromInline
    @inline(__always)
    var fields: UnsafeMutablePointer<ModelFields> {
      withUnsafePointer(to: self) { place in
        UnsafeMutableRawPointer(mutating: UnsafeRawPointer(place))
          .assumingMemoryBound(to: ModelFields.self)
      }
    }

    @inlinable
    public init() { fields.initialize(to: ModelFields()) }

    deinit {
      // Releases the fields manually: doing it through their type's metadata took longer than everything else.
      fields.pointee.end()
    }
  }
#endif

// Unchecked, for classes that declare themselves `@unchecked Sendable`: the compiler demands it of their `nonisolated`
// members. The storage is a private constant of its model, and no more protected than the model's other members.
extension _ModelCore: @unchecked Sendable {}

extension _ModelCore {
  /// The state of the model that contains this storage.
  @inlinable
  @inline(__always)
  public borrowing func state(of model: AnyObject) -> _ModelState {
    _ModelState(owner: model, fields: fields)
  }

  /// The location of the state in this storage.
  @inlinable
  @inline(__always)
  public var place: _ModelPlace {
    borrowing get { _ModelPlace(fields) }
  }
}

/// The location of a model's state. Unlike ``_ModelState`` it doesn't retain the model, so obtaining it costs nothing.
public struct _ModelPlace {
  @usableFromInline let fields: UnsafeMutablePointer<ModelFields>

  @inlinable
  init(_ fields: UnsafeMutablePointer<ModelFields>) { self.fields = fields }
}
