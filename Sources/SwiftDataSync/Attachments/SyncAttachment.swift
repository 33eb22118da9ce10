import Foundation

/// A large value that goes its own way between a store and a server: among an object's values only its name and size go.
///
/// Attributes of `Data` with `@Attribute(.externalStorage)` have such values when they are larger than
/// ``SyncAttachment/threshold``.
public struct SyncAttachment: Hashable, Sendable {
  /// The SHA-256 of the bytes (FIPS 180-4), 64 hexadecimal digits in small letters.
  public let sha256: String
  /// How many bytes it has.
  public let byteCount: Int

  /// Values of more bytes are attachments.
  public static let threshold = 16_384

  /// - Returns: nil when that is no SHA-256 in small letters, or the size is none of an attachment.
  public init?(sha256: String, byteCount: Int) {
    guard byteCount > Self.threshold, AttachmentHash.isName(sha256) else { return nil }
    self.sha256 = sha256
    self.byteCount = byteCount
  }

  package init(of bytes: some Collection<UInt8>) {
    sha256 = AttachmentHash.name(of: bytes)
    byteCount = bytes.count
  }

  /// The attachment that stands for a value; nil for a value of another kind.
  public init?(_ value: SyncValue) {
    guard case .object(let members) = value, members.count == 2,
      case .text(let sha256) = members["sha256"], case .integer(let size) = members["size"]
    else { return nil }
    self.init(sha256: sha256, byteCount: Int(size))
  }

  /// What stands for it among an object's values: an object of its `sha256` and its `size` in bytes.
  public var value: SyncValue {
    .object(["sha256": .text(sha256), "size": .integer(Int64(byteCount))])
  }
}

/// An attachment with the property that has it.
public struct SyncAttachmentReference: Hashable, Sendable {
  public var object: SyncObjectID
  /// The name of the property.
  public var property: String
  public var attachment: SyncAttachment

  public init(_ object: SyncObjectID, _ property: String, _ attachment: SyncAttachment) {
    self.object = object
    self.property = property
    self.attachment = attachment
  }
}

/// How large attachments may be, and in which portions they go.
public struct SyncAttachmentLimits: Hashable, Sendable {
  /// The most bytes of an attachment. A larger one from the server isn't fetched, and its object stays as it is; a
  /// server refuses it.
  public var maximumByteCount = 1 << 30
  /// How many bytes go at once. What arrived of an attachment stays when the next portion fails.
  public var portion = 1 << 20
  /// How many bytes of attachments, and of long texts, a page and a push have about; more only when one save has. So much
  /// is in memory at once.
  public var batchByteCount = 32 << 20
  /// The most bytes that a server keeps of a user's attachments which no object has yet.
  public var maximumPendingByteCount = 4 << 30
  /// How long a server keeps them after the last portion, in seconds.
  public var pendingAge: Double = 7 * 86_400

  public init() {}
}

extension SyncAttachment {
  /// How many bytes the attachments among the values have, and the longest texts, which may be bytes too.
  static func weight(of values: SyncValues, beyond known: SyncValues? = nil) -> Int {
    values.reduce(0) { sum, member in
      if let attachment = SyncAttachment(member.value) {
        guard member.value != known?[member.key] else { return sum }
        // The size is the other side's word, and may be any number.
        let (total, isBeyond) = sum.addingReportingOverflow(attachment.byteCount)
        return isBeyond ? .max : total
      }
      let (total, isBeyond) = sum.addingReportingOverflow(weight(of: member.value))
      return isBeyond ? .max : total
    }
  }

  /// How many bytes the texts in a value have. Values from outside have 64 levels at most.
  private static func weight(of value: SyncValue) -> Int {
    switch value {
    case .text(let text): text.utf8.count
    case .list(let list): list.reduce(8 * list.count) { $0 + weight(of: $1) }
    case .object(let members): members.reduce(0) { $0 + $1.key.utf8.count + weight(of: $1.value) }
    default: 0
    }
  }
}
