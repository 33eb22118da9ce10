import Foundation

/// The document around the elements, after all of it has arrived and before anything is committed.
public struct FeedDocument: Sendable {
  /// The values outside the array of elements, as JSON text, by their paths. Values that exceeded
  /// ``JSONLimits/maximumSiblingBytes`` are missing. Of several equal keys, the first that isn't missing
  /// counts.
  public let siblings: [JSONPath: Data]
  /// The counts so far.
  public let report: RefreshReport
  private let options: JSONDecodingOptions

  init(siblings: [JSONPath: Data], report: RefreshReport, options: JSONDecodingOptions) {
    self.siblings = siblings
    self.report = report
    self.options = options
  }

  /// Decodes a value outside the array of elements, such as `metadata`.
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - path: the path of the value.
  /// - Returns: nil when there is no such value.
  /// - Throws: `DecodingError` when it is of another type.
  public func decode<T: Decodable>(_ type: T.Type, at path: JSONPath) throws -> T? {
    guard let data = siblings[path] else { return nil }
    return try JSONElementDecoder(options).decode(type, document: [UInt8](data))
  }
}
