import Foundation

/// A reservation as the server sends it.
public struct ReservationAnswer: Codable, Hashable, Sendable {
  public var id: UUID
  public var landmarkID: Int
  public var date: Date
  public var status: String
  /// The user's note; nil if no client has sent one, and from servers of earlier versions.
  public var note: String?
  /// The server's counter of the reservation's changes, starting at 1.
  public var revision: Int

  public init(
    id: UUID, landmarkID: Int, date: Date, status: String, note: String? = nil, revision: Int
  ) {
    self.id = id
    self.landmarkID = landmarkID
    self.date = date
    self.status = status
    self.note = note
    self.revision = revision
  }
}

/// A reservation as a client sends it; its identifier is in the address.
public struct ReservationBody: Codable, Hashable, Sendable {
  public var landmarkID: Int
  public var date: Date
  public var status: String
  /// The user's note; nil, from clients of earlier versions, leaves it as it is.
  public var note: String?

  public init(landmarkID: Int, date: Date, status: String, note: String? = nil) {
    self.landmarkID = landmarkID
    self.date = date
    self.status = status
    self.note = note
  }
}

extension JSONDecoder {
  /// A decoder for the documents that the landmarks server and its clients exchange.
  public static var landmarks: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = InternetDate.parse(try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "No date and time as RFC 3339 has them")
      }
      return date
    }
    return decoder
  }
}

extension JSONEncoder {
  /// An encoder for the documents that the landmarks server and its clients exchange.
  public static var landmarks: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
