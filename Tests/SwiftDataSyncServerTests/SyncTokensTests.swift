import SwiftDataSync
import Testing

@testable import SwiftDataSyncServer

/// Bytes that count their reads.
private final class CountedReads: @unchecked Sendable {
  // Unchecked: a test reads on one thread.
  var count = 0
}

private struct CountedBytes: RandomAccessCollection {
  let bytes: [UInt8]
  let reads: CountedReads
  var startIndex: Int { bytes.startIndex }
  var endIndex: Int { bytes.endIndex }
  subscript(index: Int) -> UInt8 {
    reads.count += 1
    return bytes[index]
  }
}

@Suite struct SyncTokensTests {
  private let long = "0123456789abcdef"

  @Test func eachTokenHasItsUser() throws {
    let tokens = try SyncTokens([("ann", long + "a"), ("bob", long + "b"), ("ann", long + "c")])
    #expect(tokens.user(of: long + "a") == "ann")
    #expect(tokens.user(of: long + "b") == "bob")
    #expect(tokens.user(of: long + "c") == "ann")
  }

  @Test(arguments: [
    "", "0123456789abcdef", "0123456789abcdefA", "0123456789abcdefaa", " 0123456789abcdefa",
    "0123456789abcdefa\0", "a",
  ])
  func whatIsNotATokenIsNobodys(_ token: String) throws {
    #expect(try SyncTokens([("ann", long + "a")]).user(of: token) == nil)
    #expect(try SyncTokens([]).user(of: token) == nil)
  }

  @Test func invalidTokensAreNamedByTheirUsers() {
    let unusable = ["short", long + " ", long + "é", String(repeating: "x", count: 513)]
    for token in unusable {
      let error = #expect(throws: SyncError.self) {
        try SyncTokens([("ann", long), ("bob", token)])
      }
      #expect(error?.code == .invalidToken)
      #expect(error?.description.contains("bob") == true)
      #expect(error?.description.contains(token) == false)
    }
    #expect(throws: SyncError.self) { try SyncTokens([("ann", long), ("bob", long)]) }
  }

  @Test(
    arguments: [
      ("Bearer abc", "abc"), ("bEARER abc", "abc"), ("Bearer ", ""), ("Bearer  abc", " abc"),
      ("Bearer", nil), ("Basic abc", nil), ("Bearerabc", nil), ("", nil), (nil, nil),
    ] as [(String?, String?)])
  func theTokenFollowsTheScheme(_ field: String?, _ token: String?) {
    #expect(SyncTokens.token(in: field) == token)
  }

  /// The work of a lookup, which determines its time, is the same for any token.
  @Test func aLookUpReadsEveryByteOfEveryDigest() {
    let digests: [[UInt8]] = (0..<20).map { number in
      (0..<32).map { UInt8(number * 7 + $0) }
    }
    let reads = CountedReads()
    let counted = digests.map { CountedBytes(bytes: $0, reads: reads) }
    var wrongAtTheEnd = digests[3]
    wrongAtTheEnd[31] ^= 1
    var wrongAtTheBeginning = digests[3]
    wrongAtTheBeginning[0] ^= 0x80
    let asked = [
      digests[0], digests[11], digests[19], wrongAtTheEnd, wrongAtTheBeginning,
      [UInt8](repeating: 255, count: 32),
    ]
    #expect(asked.map { SyncTokens.place(of: $0, in: counted) } == [0, 11, 19, -1, -1, -1])
    #expect(reads.count == asked.count * 20 * 32)
  }

  @Test func theMaskIsOfAllOnesForZeroOnly() {
    for difference in UInt8.min...UInt8.max {
      #expect(ConstantTime.mask(ofZero: difference) == (difference == 0 ? -1 : 0))
    }
  }
}
