import Foundation

/// The JSON form that Apple's framework writes, so that identifiers made by other tools decode:
/// `{"implementation":{"primaryKey":"p215","uriRepresentation":"x-coredata://<store>/<Entity>/p215",
/// "isTemporary":false,"storeIdentifier":"<store>","entityName":"Country"}}`. The URI is the identifier's description;
/// only its scheme is read.
extension PersistentIdentifier: Codable {
  private struct Envelope: Codable {
    let implementation: Implementation
  }

  private struct Implementation: Codable {
    let primaryKey: String
    let uriRepresentation: String?
    let isTemporary: Bool
    let storeIdentifier: String?
    let entityName: String
  }

  public func encode(to encoder: any Encoder) throws {
    try Envelope(
      implementation: Implementation(
        primaryKey: keyText, uriRepresentation: description, isTemporary: isTemporary,
        storeIdentifier: storeIdentifier, entityName: entityName)
    ).encode(to: encoder)
  }

  public init(from decoder: any Decoder) throws {
    let form = try Envelope(from: decoder).implementation
    let key: Key
    if form.isTemporary {
      guard form.primaryKey.first == "t", let number = UInt64(form.primaryKey.dropFirst()) else {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "\"\(form.primaryKey)\" is not the key of a temporary identifier."))
      }
      key = .temporary(number)
    } else if form.uriRepresentation?.hasPrefix(Self.customScheme) ?? false {
      key = .custom(form.primaryKey)
    } else if form.primaryKey.first == "p", let rowID = Int64(form.primaryKey.dropFirst()) {
      key = .row(rowID)
    } else {
      key = .custom(form.primaryKey)
    }
    self.init(storeIdentifier: form.storeIdentifier, entityName: form.entityName, key: key)
  }
}
