import Foundation
import Testing

@testable import SwiftDataSync

@Suite struct UUIDTextTests {
  @Test func itIsFoundationsText() {
    for _ in 0..<200 {
      let uuid = UUID()
      let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
      #expect(UUIDText.text(bytes) == uuid.uuidString)
      #expect(UUIDText.bytes(uuid.uuidString) == bytes)
      #expect(UUIDText.bytes(uuid.uuidString.lowercased()) == bytes)
      #expect(UUIDText.isCanonical(uuid.uuidString))
    }
    #expect(!UUIDText.isCanonical("aaaaaaaa-0000-0000-0000-000000000000"))
  }

  @Test(arguments: [
    "", "0", "00000000-0000-0000-0000-00000000000", "00000000-0000-0000-0000-0000000000000",
    "00000000+0000-0000-0000-000000000000", "0000000-00000-0000-0000-000000000000",
    "G0000000-0000-0000-0000-000000000000", "{0000000-0000-0000-0000-00000000000}",
    "00000000-0000-0000-0000-0000000000\u{E9}", " 0000000-0000-0000-0000-000000000000",
  ])
  func anythingElseIsNone(_ text: String) {
    #expect(UUIDText.bytes(text) == nil)
    #expect(!UUIDText.isCanonical(text))
  }
}
