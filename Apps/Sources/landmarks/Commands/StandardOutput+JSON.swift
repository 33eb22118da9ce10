import LandmarksKit
import LocalApp
import WireFormats

extension StandardOutput {
  /// Writes a JSON value as a line.
  mutating func json(_ write: (inout JSONWriter) throws -> Void) throws {
    var text = JSONWriter()
    try write(&text)
    text.raw("\n")
    try self.write(text.bytes)
  }
}

extension LandmarkStore {
  /// Returns the changes that wait for the server by the identifiers of their objects.
  ///
  /// - Parameter isRequired: Whether the answer lacks something without them. For marks in a text a line on standard
  ///   error tells why they are missing, as when a newer program has synchronized the store.
  func waitingByIdentifier(isRequired: Bool = true) async throws -> [String: WaitingChange] {
    do { return Dictionary(try await waiting().map { ($0.identifier, $0) }) { $1 } } catch {
      guard !isRequired else { throw error }
      complain("Whether the server has the changes isn't known: \(error)")
      return [:]
    }
  }
}
