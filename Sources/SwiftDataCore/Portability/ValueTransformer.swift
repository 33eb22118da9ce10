#if !canImport(ObjectiveC)
  import Foundation
  import Synchronization

  /// Turns values of one kind into another and perhaps back; `@Attribute(.transformable(by:))` stores what it makes.
  ///
  /// Foundation's class of this name exists on Apple's systems only; this one stands in for it elsewhere, with the
  /// same members. A subclass overrides ``transformedValue(_:)``, and for the way back
  /// ``allowsReverseTransformation()`` and ``reverseTransformedValue(_:)``.
  ///
  /// Transformers are shared by all threads. The registry is the only state here; a subclass that adds state of its
  /// own must guard it.
  open class ValueTransformer: @unchecked Sendable {
    // Unchecked because subclasses could add state; this class has none.

    private static let registry = Mutex<[NSValueTransformerName: ValueTransformer]>([:])

    public required init() {}

    /// The kind of the transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether there is a way back. True unless a subclass says otherwise.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The transformed value; the value itself unless a subclass says otherwise.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The original value. Unless a subclass says otherwise ``transformedValue(_:)`` is its own way back.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// Makes `transformer` known under `name`; nil makes the name unknown again.
    open class func setValueTransformer(
      _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
      registry.withLock { $0[name] = transformer }
    }

    /// The transformer known under `name`.
    ///
    /// On Apple's systems a subclass whose name is `name` is found without registration. Swift has no look-up of
    /// classes by a bare name elsewhere, so register there, or name the class by `.transformable(by: T.self)`.
    public class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
      registry.withLock { $0[name] }
    }

    /// The names that are known, in order.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
      registry.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } }
    }
  }

  /// The name of a value transformer.
  public struct NSValueTransformerName: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
  }
#endif
