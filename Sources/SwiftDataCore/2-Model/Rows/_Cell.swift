/// One column's value on its way between a model and a store: a tag, 64 bits and a byte count, no allocation.
///
/// A text or a blob is a position and a length. In a ``_RowWriter`` the position is an offset into the writer's arena;
/// in a ``_RowReader`` it is the address of bytes that the store keeps valid until the next row. Core doesn't depend on
/// the database behind it, so that every store can fill cells.
@frozen
public struct _Cell {
  /// The kind of a cell's value. The raw values are SQLite's fundamental types, so that no table is needed to translate
  /// them (https://sqlite.org/c3ref/c_blob.html).
  @frozen
  public enum Kind: UInt8, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
  }

  public var kind: Kind
  /// The integer, the bit pattern of the real, or the position of the bytes.
  public var bits: Int64
  /// The number of bytes of a text or a blob.
  public var count: Int

  @inlinable
  public init(kind: Kind, bits: Int64 = 0, count: Int = 0) {
    self.kind = kind
    self.bits = bits
    self.count = count
  }
}
