import Foundation
import LocalCopy
import SwiftDataSync
import WireFormats

/// A feed's document, in two pieces.
struct FeedTarget: FuzzTarget {
  private struct Feature: Decodable {
    struct Properties: Decodable {
      let mag: Double?
      let place: String?
      let time: Date
      let tsunami: Int
    }
    let id: String
    let properties: Properties
    let geometry: [String: [Double]]?
  }

  static let name = "feed"
  let words = [
    "{", "}", "[", "]", "\"features\":[", "\\ud800", "\\u0000", "null", "true", ",", ":", "\"\"",
    "[[[[[[[[[[", "\u{FEFF}",
  ]
  let samples: [[UInt8]] = [
    """
    {"type":"FeatureCollection","metadata":{"count":2},"features":[
    {"id":"a1","properties":{"mag":1.5,"place":"9 km N of \\u00e9","time":1583517900000,"tsunami":0},"geometry":{"coordinates":[1.5,-2,3e1]}},
    {"id":"b2","properties":{"mag":null,"place":null,"time":1583517900001,"tsunami":1},"geometry":null}]}
    """, "[]", "{\"features\":[]}",
    "{\"features\":[{\"id\":\"\\\"\",\"properties\":{\"time\":0,\"tsunami\":1}}]}",
  ].map { Array($0.utf8) }

  func take(_ input: [UInt8]) -> Bool {
    succeeds {
      let reader = ElementReader<Feature>(at: "features")
      let middle = input.count / 3
      var bad: (any Error)?
      for piece in [input[..<middle], input[middle...]] {
        try reader.read(Data(piece)) { _, element in
          if case .failure(let error) = element { bad = error }
        }
      }
      try reader.finish()
      if let bad { throw bad }
    }
  }
}

/// The target of a web request, with its query.
struct QueryTarget: FuzzTarget {
  static let name = "query"
  let words = [
    "%", "%00", "%ff", "%C3%A9", "&", "=", "+", "?", "//", "..", "#", "limit=", "\u{202E}",
  ]
  let samples: [[UInt8]] = [
    "/api/events?min_magnitude=2.5&since=24h&search=na%C3%AFve+text&sort=time&limit=100&offset=0",
    "/", "/a/b%20c?", "/?a&b=&=c&a=1",
  ].map { Array($0.utf8) }

  func take(_ input: [UInt8]) -> Bool {
    succeeds {
      let target = try RequestTarget(String(decoding: input, as: UTF8.self))
      for parameter in target.parameters {
        let again = try RequestTarget.decoded(RequestTarget.encoded(parameter.value))
        guard again == parameter.value else { fatalError("\(parameter.value) became \(again)") }
      }
    }
  }
}

/// The messages that the sync engine receives: pages, requests, answers.
struct SyncPageTarget: FuzzTarget {
  static let name = "sync-page"
  let words = [
    "{", "}", "[", "]", "\"changes\":[", "\"id\":", "\"version\":", "\"values\":null", "null",
    "\\ud800", "\\u0000", "\"token\":\"\"",
  ]
  let samples: [[UInt8]] = [
    SyncContract.pushRequest(
      [
        SyncChange(
          id: "c1", object: SyncObjectID("Note", "a"),
          content: .put(["text": .text("é"), "count": .integer(.max), "list": .list([.null])]),
          baseVersion: 3)
      ], client: "me"),
    Array(
      #"{"changes":[{"entity":"Note","key":"a","version":7,"values":{"text":"x","n":1.5,"o":{"a":[true,null]}}},{"entity":"Note","key":"b","version":8,"values":null}],"token":"8","hasMore":false,"more":false,"isSnapshot":false}"#
        .utf8),
    Array(
      #"{"results":[{"id":"c1","status":"applied","version":4},{"id":"c2","status":"refused","code":"x","message":"y"}]}"#
        .utf8),
  ]

  func take(_ input: [UInt8]) -> Bool {
    let page = succeeds { _ = try SyncPage.parse(input) }
    let request = succeeds { _ = try SyncContract.parsePushRequest(input) }
    let answer = succeeds { _ = try SyncContract.parsePushAnswer(input) }
    let attachments = succeeds { _ = try SyncContract.parseMissingRequest(input) }
    return page || request || answer || attachments
  }
}
