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
  func waitingByIdentifier() async throws -> [String: WaitingChange] {
    Dictionary(try await waiting().map { ($0.identifier, $0) }) { $1 }
  }
}
