import ContentFiles
import Foundation

/// A large value that is transferred separately between a store and a server: the object's values contain only its hash
/// and its size.
///
/// Attributes of `Data` with `@Attribute(.externalStorage)` have such values when they are larger than
/// ``SyncAttachment/threshold``.
public struct SyncAttachment: Hashable, Sendable {
  /// The SHA-256 of the bytes (FIPS 180-4), 64 lowercase hexadecimal digits.
  public let sha256: String
  /// The number of bytes.
  public let byteCount: Int

  /// The largest size in bytes of a value that is not an attachment.
  public static let threshold = 16_384

  /// - Returns: nil when the text is not a SHA-256 in lowercase digits, or the size is too small for an attachment.
  public init?(sha256: String, byteCount: Int) {
    guard byteCount > Self.threshold, ContentName.isName(sha256) else { return nil }
    self.sha256 = sha256
    self.byteCount = byteCount
  }

  package init(of bytes: some Collection<UInt8>) {
    sha256 = ContentName.text(of: bytes)
    byteCount = bytes.count
  }

  /// Creates an attachment from the value that represents it; nil for a value of another kind.
  public init?(_ value: SyncValue) {
    guard case .object(let members) = value, members.count == 2,
      case .text(let sha256) = members["sha256"], case .integer(let size) = members["size"]
    else { return nil }
    self.init(sha256: sha256, byteCount: Int(size))
  }

  /// The value that represents the attachment among an object's values: an object with its `sha256` and its `size` in
  /// bytes.
  public var value: SyncValue {
    .object(["sha256": .text(sha256), "size": .integer(Int64(byteCount))])
  }
}

/// An attachment together with the object and the property that have it.
public struct SyncAttachmentReference: Hashable, Sendable {
  /// The object that has the attachment.
  public var object: SyncObjectID
  /// The name of the property.
  public var property: String
  /// The attachment.
  public var attachment: SyncAttachment

  /// Creates a reference.
  public init(_ object: SyncObjectID, _ property: String, _ attachment: SyncAttachment) {
    self.object = object
    self.property = property
    self.attachment = attachment
  }
}

/// The limits on the sizes of attachments and of their portions.
public struct SyncAttachmentLimits: Hashable, Sendable {
  /// The maximum number of bytes of an attachment. A client doesn't fetch a larger one, and its object stays unchanged;
  /// a server rejects it.
  public var maximumByteCount = 1 << 30
  /// The number of bytes of a portion. Portions that have arrived are kept when the next portion fails.
  public var portion = 1 << 20
  /// The approximate maximum number of bytes of attachments and of long texts in a page or in a push; only a single
  /// save may exceed it. That many bytes are in memory at the same time.
  public var batchByteCount = 32 << 20
  /// The maximum number of bytes of a user's attachments that a server stores before an object refers to them.
  public var maximumPendingByteCount = 4 << 30
  /// The time in seconds after the last portion during which a server stores them; a client keeps partial downloads as
  /// long.
  public var pendingAge: Double = 7 * 86_400

  /// Creates the default limits.
  public init() {}
}

extension SyncAttachment {
  /// Returns the number of bytes of the attachments among the values and of the texts, which may be encoded bytes too.
  static func weight(of values: SyncValues, beyond known: SyncValues? = nil) -> Int {
    values.reduce(0) { sum, member in
      if let attachment = SyncAttachment(member.value) {
        guard member.value != known?[member.key] else { return sum }
        // The size is declared by the other side and may be any number.
        let (total, isBeyond) = sum.addingReportingOverflow(attachment.byteCount)
        return isBeyond ? .max : total
      }
      let (total, isBeyond) = sum.addingReportingOverflow(weight(of: member.value))
      return isBeyond ? .max : total
    }
  }

  /// Returns the number of bytes of the texts in a value. Received values have at most 64 levels.
  private static func weight(of value: SyncValue) -> Int {
    switch value {
    case .text(let text): text.utf8.count
    case .list(let list): list.reduce(8 * list.count) { $0 + weight(of: $1) }
    case .object(let members): members.reduce(0) { $0 + $1.key.utf8.count + weight(of: $1.value) }
    default: 0
    }
  }
}
