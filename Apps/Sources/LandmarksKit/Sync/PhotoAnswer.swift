import Foundation
import SwiftDataSync

/// The bytes of a photo in a document: in Base64 up to `SyncAttachment.threshold`, otherwise an attachment, which is
/// sent and fetched separately.
public enum PhotoContent: Codable, Hashable, Sendable {
  case bytes(Data)
  case attachment(SyncAttachment)

  private enum Key: String, CodingKey { case sha256, size }

  public init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      guard let data = Data(base64Encoded: text) else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "No Base64"))
      }
      self = .bytes(data)
      return
    }
    let members = try decoder.container(keyedBy: Key.self)
    guard
      let attachment = SyncAttachment(
        sha256: try members.decode(String.self, forKey: .sha256),
        byteCount: try members.decode(Int.self, forKey: .size))
    else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "No attachment"))
    }
    self = .attachment(attachment)
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .bytes(let data):
      var container = encoder.singleValueContainer()
      try container.encode(data.base64EncodedString())
    case .attachment(let attachment):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(attachment.sha256, forKey: .sha256)
      try container.encode(attachment.byteCount, forKey: .size)
    }
  }
}

/// A photo as a client sends it; its identifier is in the address.
public struct PhotoBody: Codable, Hashable, Sendable {
  public var reservationID: UUID
  public var added: Date
  public var caption: String
  public var data: PhotoContent

  public init(reservationID: UUID, added: Date, caption: String, data: PhotoContent) {
    self.reservationID = reservationID
    self.added = added
    self.caption = caption
    self.data = data
  }
}

/// A photo as the server sends it.
public struct PhotoAnswer: Codable, Hashable, Sendable {
  public var id: UUID
  public var reservationID: UUID
  public var added: Date
  public var caption: String
  public var data: PhotoContent
  /// The server's number of the photo's last change, which no other change has.
  public var revision: Int

  public init(id: UUID, body: PhotoBody, revision: Int) {
    self.id = id
    reservationID = body.reservationID
    added = body.added
    caption = body.caption
    data = body.data
    self.revision = revision
  }
}
