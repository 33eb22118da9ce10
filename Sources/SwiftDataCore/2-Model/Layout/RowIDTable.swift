#if OSD_PLAIN_MAP
  /// The models by row ID, in the plain form: weak references in a dictionary.
  struct RowIDTable: ~Copyable {
    struct Value {
      weak var model: AnyObject?
      /// The address of the model's state, by which the state removes the model.
      let address: UnsafeRawPointer
    }

    private var values: [Int64: Value] = [:]

    var count: Int { values.count }

    subscript(rowID: Int64) -> Value? { values[rowID] }

    mutating func set(_ value: Value, for rowID: Int64) { values[rowID] = value }

    /// - Parameter address: When given, the model is removed only if its state lies there.
    mutating func remove(_ rowID: Int64, ifAt address: UnsafeRawPointer? = nil) {
      // `values[rowID]?.address` would read an absent value: Swift 6.3 copies the weak reference of an Optional before
      // it asks whether there is a value, if the type has other stored properties.
      guard let place = values.index(forKey: rowID) else { return }
      if let address, values.values[place].address != address { return }
      values.remove(at: place)
    }

    func forEach(_ body: (Int64, Value) -> Void) {
      for (rowID, value) in values { body(rowID, value) }
    }
  }
#else
  typealias RowIDTable = RowIDHashTable
#endif
