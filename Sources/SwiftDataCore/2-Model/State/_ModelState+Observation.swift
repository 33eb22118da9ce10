import Observation

extension _ModelState {
  /// The registrar, made when first needed: most models are never observed.
  public var registrar: ObservationRegistrar {
    let rareFields = ownRareFields
    if let registrar = rareFields.registrar { return registrar }
    let made = ObservationRegistrar()
    rareFields.registrar = made
    fields.pointee.traits.insert(.isObserved)
    return made
  }

  /// Called by a property's getter.
  ///
  /// - Parameter keyPath: The property; not evaluated while there is no observer.
  @inlinable
  @inline(__always)
  public func access<Model: PersistentModel, Member>(
    _ model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>
  ) {
    if Self.isTracked(fields) { reportAccess(to: model, keyPath()) }
  }

  /// Whether a read of a property of the model with these fields has to be reported to Observation now.
  @inlinable
  @inline(__always)
  static func isTracked(_ fields: UnsafeMutablePointer<ModelFields>) -> Bool {
    guard let link = fields.pointee.retainedLink else { return isTrackedWithoutContext() }
    // Nothing that the probe calls can release the link.
    return link._withUnsafeGuaranteedRef { $0.isTracked() }
  }

  @usableFromInline
  static func isTrackedWithoutContext() -> Bool { ObservationProbe.isTrackedWithoutContext() }

  @usableFromInline
  @inline(never)
  func reportAccess<Model: PersistentModel, Member>(
    to model: Model, _ keyPath: KeyPath<Model, Member>
  ) {
    registrar.access(model, keyPath: keyPath)
  }

  @inlinable
  @inline(__always)
  public func withMutation<Model: Observable, Member, MutationResult>(
    of model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>,
    _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    // Without a registrar, no observer has ever read the model.
    guard isObserved else { return try mutation() }
    return try reportMutation(of: model, keyPath(), mutation)
  }

  @usableFromInline
  @inline(never)
  func reportMutation<Model: Observable, Member, MutationResult>(
    of model: Model, _ keyPath: KeyPath<Model, Member>, _ mutation: () throws -> MutationResult
  ) rethrows -> MutationResult {
    let result = try registrar.withMutation(of: model, keyPath: keyPath, mutation)
    if flags.contains(.alias) { forward(keyPath, of: model) }
    return result
  }

  /// Called by a property's setter before anything else: observers are notified before the change.
  ///
  /// - Parameter keyPath: The property; not evaluated while there is no observer.
  /// - Returns: The property when ``didMutate(_:_:)`` has to follow, otherwise nil.
  @inlinable
  @inline(__always)
  public func willMutate<Model: PersistentModel, Member>(
    _ model: Model, keyPath: @autoclosure () -> KeyPath<Model, Member>
  ) -> KeyPath<Model, Member>? {
    guard isObserved else { return nil }
    return reportMutation(of: model, keyPath())
  }

  @usableFromInline
  @inline(never)
  func reportMutation<Model: PersistentModel, Member>(
    of model: Model, _ keyPath: KeyPath<Model, Member>
  ) -> KeyPath<Model, Member> {
    registrar.willSet(model, keyPath: keyPath)
    return keyPath
  }

  /// Called by a property's setter after everything else.
  @inline(never)
  public func didMutate<Model: PersistentModel, Member>(
    _ model: Model, _ keyPath: KeyPath<Model, Member>
  ) {
    registrar.didSet(model, keyPath: keyPath)
    if flags.contains(.alias) { forward(keyPath, of: model) }
  }

  @inlinable
  package var isObserved: Bool { fields.pointee.traits.contains(.isObserved) }
}
