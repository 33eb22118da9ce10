#if !canImport(ObjectiveC)
  import Foundation
  import Synchronization

  /// Transforms values of one kind into another and optionally back; `@Attribute(.transformable(by:))` stores the
  /// result.
  ///
  /// Foundation's class of this name exists on Apple's systems only; this one replaces it elsewhere, with the same
  /// members. A subclass overrides ``transformedValue(_:)``, and for the reverse transformation
  /// ``allowsReverseTransformation()`` and ``reverseTransformedValue(_:)``.
  ///
  /// Transformers are shared by all threads. The registry is the only state here; a subclass that adds state of its own
  /// must synchronize access to it.
  open class ValueTransformer: @unchecked Sendable {
    // Unchecked because subclasses could add state; this class has none.

    private static let registry = Mutex<[NSValueTransformerName: ValueTransformer]>([:])

    /// Creates a transformer.
    public required init() {}

    /// The kind of the transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether a reverse transformation exists. True unless a subclass overrides it.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Returns the transformed value; the value itself unless a subclass overrides it.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the original value. Unless a subclass overrides it, ``transformedValue(_:)`` is its own reverse.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// Registers `transformer` under `name`; nil removes the registration.
    open class func setValueTransformer(
      _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
      registry.withLock { $0[name] = transformer }
    }

    /// Returns the transformer registered under `name`.
    ///
    /// On Apple's systems a subclass whose name is `name` is found without registration. Elsewhere Swift has no look-up
    /// of classes by an unqualified name, so register there, or name the class by `.transformable(by: T.self)`.
    public class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
      registry.withLock { $0[name] }
    }

    /// Returns the registered names, in order.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
      registry.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } }
    }
  }

  /// The name of a value transformer.
  public struct NSValueTransformerName: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    /// Creates a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
  }
#endif
