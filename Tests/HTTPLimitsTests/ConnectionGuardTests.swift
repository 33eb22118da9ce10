import HTTPLimits
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

/// The guard of a connection, with a clock that the test advances.
@Suite struct ConnectionGuardTests {
  private let channel: EmbeddedChannel
  private let places: ConnectionPlaces
  private static let limits: ConnectionLimits = {
    var limits = ConnectionLimits()
    limits.request = .seconds(15)
    limits.idle = .seconds(60)
    limits.crowdedIdle = .seconds(5)
    limits.write = .seconds(30)
    limits.refused = .seconds(2)
    limits.refusedBytes = 1_000
    return limits
  }()

  init() throws { try self.init(capacity: 2) }

  private init(capacity: Int) throws {
    places = ConnectionPlaces(capacity)
    channel = EmbeddedChannel(handler: ConnectionGuard(Self.limits, places))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
  }

  private func head(
    _ version: HTTPVersion = .http1_1, _ fields: [(String, String)] = [("host", "a")]
  ) throws {
    try channel.writeInbound(
      HTTPServerRequestPart.head(
        HTTPRequestHead(
          version: version, method: .PUT, uri: "/", headers: HTTPHeaders(fields))))
  }

  private func body(_ count: Int) throws {
    try channel.writeInbound(
      HTTPServerRequestPart.body(ByteBuffer(repeating: 0x61, count: count)))
  }

  private func end() throws { try channel.writeInbound(HTTPServerRequestPart.end(nil)) }

  private func answer(_ status: HTTPResponseStatus = .ok) throws {
    try channel.writeOutbound(
      HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status)))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
  }

  /// Returns the sent response heads, with their statuses.
  private func sent() throws -> [(status: UInt, isLast: Bool, version: HTTPVersion)] {
    var heads: [(UInt, Bool, HTTPVersion)] = []
    while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
      if case .head(let head) = part {
        heads.append(
          (head.status.code, head.headers["connection"].contains("close"), head.version))
      }
    }
    return heads
  }

  private func pass(_ seconds: Int64) {
    channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
    channel.embeddedEventLoop.run()
  }

  @Test func silentConnectionsAreClosed() {
    pass(59)
    #expect(channel.isActive)
    pass(2)
    #expect(!channel.isActive)
    #expect(places.count == 0)
  }

  @Test func whileAllPlacesAreTakenASilentConnectionHasLessTime() throws {
    let other = EmbeddedChannel(
      handler: ConnectionGuard(Self.limits, places), loop: channel.embeddedEventLoop)
    try other.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 2)).wait()
    #expect(places.count == 2)
    pass(4)
    #expect(channel.isActive && other.isActive)
    pass(2)
    #expect(!channel.isActive || !other.isActive)
    #expect(places.count < 2)
  }

  @Test func aSlowBodyEndsWithItsTimeLimit() throws {
    try head()
    for _ in 0..<14 {
      try body(1)
      pass(1)
    }
    #expect(channel.isActive)
    #expect(try sent().isEmpty)
    pass(2)
    let answers = try sent()
    #expect(answers.map(\.status) == [408] && answers.allSatisfy(\.isLast))
    #expect(!channel.isActive)
  }

  @Test func theRestOfARefusedRequestIsDiscardedForALimitedTime() throws {
    try head()
    try answer(.unauthorized)
    try body(500)
    pass(1)
    #expect(channel.isActive)
    try body(1)
    pass(2)
    #expect(!channel.isActive)
    // No further bytes reached the program.
    var bytes = 0
    while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
      if case .body(let buffer) = part { bytes += buffer.readableBytes }
    }
    #expect(bytes == 0)
  }

  @Test func aRefusedRequestMayNotGoOnForBytes() throws {
    try head()
    try answer(.unauthorized)
    try body(1_001)
    #expect(!channel.isActive)
  }

  @Test func aRefusedRequestThatEndsInTimeKeepsTheConnection() throws {
    for _ in 0..<3 {
      try head()
      try answer(.unauthorized)
      try body(10)
      try end()
      pass(3)
    }
    #expect(channel.isActive)
    #expect(try sent().map(\.status) == [401, 401, 401])
  }

  @Test func responsesInProgressHaveNoTimeLimit() throws {
    try head()
    try end()
    pass(10_000)
    #expect(channel.isActive)
    try answer()
    pass(59)
    #expect(channel.isActive)
    pass(2)
    #expect(!channel.isActive)
  }

  @Test func aClientThatDoesNotReadIsClosed() throws {
    try head()
    try end()
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    pass(29)
    #expect(channel.isActive)
    pass(2)
    #expect(!channel.isActive)
  }

  @Test func aClientThatReadsAgainIsNot() throws {
    try head()
    try end()
    for _ in 0..<4 {
      channel.isWritable = false
      channel.pipeline.fireChannelWritabilityChanged()
      pass(20)
      channel.isWritable = true
      channel.pipeline.fireChannelWritabilityChanged()
    }
    #expect(channel.isActive)
  }

  @Test func aConnectionOfHTTP10EndsWithTheAnswer() throws {
    try head(.http1_0, [])
    try end()
    try answer()
    let answers = try sent()
    #expect(answers.map(\.status) == [200] && answers.allSatisfy(\.isLast))
    #expect(answers.allSatisfy { $0.version == .http1_0 })
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
  }

  @Test(arguments: ["close", "Close", "keep-alive, CLOSE"])
  func aConnectionWhoseClientSaysSoEndsWithTheAnswer(_ field: String) throws {
    try head(.http1_1, [("host", "a"), ("connection", field)])
    try end()
    try answer()
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
  }

  /// Returns the number of requests that reached the program since the last call.
  private func taken() throws -> Int {
    var count = 0
    while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
      if case .head = part { count += 1 }
    }
    return count
  }

  @Test(arguments: [false, true])
  func aBadRequestBehindAnotherOneGetsNoAnswerInItsPlace(_ isAnswering: Bool) throws {
    try head()
    try end()
    if isAnswering {
      try channel.writeOutbound(
        HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
    }
    try head(.http1_1, [])
    try body(5)
    try end()
    try head()
    try end()
    #expect(try taken() == 1)
    if isAnswering {
      try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    } else {
      try answer()
    }
    let answers = try sent()
    #expect(answers.map(\.status) == [200])
    // The client learns that the others weren't processed.
    #expect(answers.map(\.isLast) == [!isAnswering])
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
  }

  @Test func theTimeOfARequestBeginsAfterTheAnswerBefore() throws {
    try head()
    try end()
    try head()
    pass(100)
    #expect(channel.isActive)
    try answer()
    #expect(try sent().map(\.status) == [200])
    pass(14)
    #expect(channel.isActive)
    pass(2)
    #expect(try sent().map(\.status) == [408])
    #expect(!channel.isActive)
  }

  @Test(arguments: [HTTPVersion.http1_1, .http1_0])
  func eachAnswerIsThatOfItsRequest(_ version: HTTPVersion) throws {
    try head()
    try end()
    try head(version, [("host", "a"), ("connection", "close")])
    try end()
    // Nothing follows a request that wants the connection closed.
    try head()
    try end()
    #expect(try taken() == 2)
    try answer()
    #expect(channel.isActive)
    try answer()
    let answers = try sent()
    #expect(answers.map(\.isLast) == [false, true])
    #expect(answers.map(\.version) == [.http1_1, version])
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
  }

  @Test(arguments: [[], ["127.0.0.1", "evil.example"], ["a", "a"], ["a", ""]])
  func aRequestNamesOneHost(_ hosts: [String]) throws {
    try head(.http1_1, hosts.map { ("host", $0) })
    #expect(try sent().map(\.status) == [400])
    #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
  }
}
