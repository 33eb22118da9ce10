import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import SwiftDataSyncServer

/// Long answers, which a client may read slowly.
@Suite struct ResponsePartsTests {
  private final class Parts: Sendable {
    let sizes = Mutex<[Int]>([])
    let bytes = Mutex<[UInt8]>([])
  }

  private struct Writer: ResponseBodyWriter {
    let parts: Parts

    mutating func write(_ buffer: ByteBuffer) async throws {
      parts.sizes.withLock { $0.append(buffer.readableBytes) }
      parts.bytes.withLock { $0 += buffer.readableBytesView }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 300_000]) func areWrittenInParts(
    _ count: Int
  ) async throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let response = SyncRoutes.document(.ok, bytes)
    #expect(response.body.contentLength == count)
    let parts = Parts()
    try await response.body.write(Writer(parts: parts))
    #expect(parts.bytes.withLock { $0 == bytes })
    #expect(parts.sizes.withLock { $0.allSatisfy { $0 <= 65_536 } })
  }
}
