import Foundation
import LandmarksKit
import SwiftData
import Testing

@testable import landmarks
@testable import ProgramTesting

@Suite("Photos in the page's API", .timeLimit(.minutes(20)))
struct PhotoAPITests {
  private let own = [("X-Requested-With", "landmarks")]
  private let photo = "7A9619FF-8B86-D011-B42D-00CF4FC964FF"

  private func store() throws -> (LandmarkStore, Reservation) {
    let store = try deviceStore()
    return (store, try store.reserve(1002, on: Date().addingTimeInterval(30 * 86_400)))
  }

  private func target(_ visit: Reservation, caption: String = "From%20below") -> String {
    "/api/photos/\(photo)?reservation=\(visit.id)&added=1800000000000&caption=\(caption)"
  }

  @Test("a photo is stored, shown in the state, served with the type of its bytes, and removed")
  func stored() async throws {
    let (store, visit) = try store()
    let data = SamplePhotos.jpeg(count: 200_000)
    try await withApp(store) { client async throws in
      let key = ("Idempotency-Key", "019F9FFF-AC96-774B-BCCE-B302099A8057")
      for _ in 0..<2 {
        let made = try await client.request(
          "PUT", target(visit), headers: own + [key, ("Content-Type", "text/html")],
          bytes: [UInt8](data))
        #expect(try made.status == 200 && made.text.contains(#""pending":2"#))
      }
      let state = try await client.request("GET", "/api/state").text
      #expect(
        state.contains(
          #""photos":[{"id":"\#(photo)","reservationID":"\#(visit.id)","added":1800000000000,"#
            + #""caption":"From below","isWaiting":true,"refusal":null}]"#))
      #expect(state.contains(#"{"kind":"photo","landmarkID":null,"reservationID":"\#(visit.id)","#))
      let served = try await client.request("GET", "/api/photos/\(photo)")
      #expect(served.status == 200 && Data(served.body) == data)
      #expect(served["Content-Type"] == "image/jpeg")
      #expect(served["X-Content-Type-Options"] == "nosniff")
      #expect(served["Cache-Control"] == "private, no-cache")
      let tag = try #require(served["ETag"])
      let known = try await client.request(
        "GET", "/api/photos/\(photo)", headers: [("If-None-Match", tag)])
      #expect(known.status == 304 && known.body.isEmpty)
      let head = try await client.request("HEAD", "/api/photos/\(photo)")
      #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == "200000")
      let removed = try await client.request("DELETE", "/api/photos/\(photo)", headers: own)
      #expect(try removed.status == 200 && store.photos().isEmpty)
      for headers in [[], [("If-None-Match", tag)]] {
        let gone = try await client.request("GET", "/api/photos/\(photo)", headers: headers)
        #expect(gone.status == 404)
      }
    }
  }

  @Test("a caption is changed once for a key; other bodies, photos and sites are refused")
  func captions() async throws {
    let (store, visit) = try store()
    try await withApp(store) { client async throws in
      let path = "/api/photos/\(photo)/caption"
      func put(_ body: String, _ path: String, _ headers: [(String, String)]) async throws -> Int {
        try await client.request("PUT", path, headers: headers, bytes: Array(body.utf8)).status
      }
      let json = own + [("Content-Type", "application/json")]
      #expect(try await put(#"{"caption":"a"}"#, path, json) == 404)
      let data = [UInt8](SamplePhotos.png())
      let added = try await client.request("PUT", target(visit), headers: own, bytes: data)
      #expect(added.status == 200)
      let key = ("Idempotency-Key", "019F9FFF-AC96-774B-BCCE-B302099A8057")
      #expect(try await put(#"{"caption":"<b>\u00e9</b>"}"#, path, json + [key]) == 200)
      #expect(try await put(#"{"caption":"Later"}"#, path, json) == 200)
      #expect(try await put(#"{"caption":"<b>\u00e9</b>"}"#, path, json + [key]) == 200)
      #expect(try store.photos().map(\.caption) == ["Later"])
      for body in ["", "{}", #"{"caption":1}"#, #"{"caption":null}"#, "[]"] {
        #expect(try await put(body, path, json) == 400, "\(body)")
      }
      #expect(try await put(#"{"caption":"a\u000ab"}"#, path, json) == 422)
      #expect(try await put(#"{"caption":"a"}"#, path, [json[1]]) == 403)
      #expect(try await put(#"{"caption":"a"}"#, path + "?b=1", json) == 400)
      #expect(try await put(#"{"caption":"a"}"#, "/api/photos/x/caption", json) == 404)
      #expect(try await client.request("GET", path, headers: own).status == 405)
      #expect(try store.photos().map(\.caption) == ["Later"])
    }
  }

  @Test("a photo whose bytes were replaced elsewhere is sent to a browser that has the former ones")
  func replaced() async throws {
    let (store, visit) = try store()
    let id = try #require(UUID(uuidString: photo))
    let context = ModelContext(store.container)
    let stored = StoredPhoto(
      VisitPhoto(id: id, reservationID: visit.id), data: SamplePhotos.png())
    context.insert(stored)
    try context.save()
    try await withApp(store) { client async throws in
      let first = try await client.request("GET", "/api/photos/\(photo)")
      let known = ("If-None-Match", try #require(first["ETag"]))
      let same = try await client.request("GET", "/api/photos/\(photo)", headers: [known])
      #expect(same.status == 304 && same["ETag"] == first["ETag"])
      let data = SamplePhotos.jpeg(count: 1_000)
      let context = ModelContext(store.container)
      try context.fetch(FetchDescriptor<StoredPhoto>()).first?.data = data
      try context.save()
      let other = try await client.request("GET", "/api/photos/\(photo)", headers: [known])
      #expect(other.status == 200 && Data(other.body) == data && other["ETag"] != first["ETag"])
    }
  }

  @Test("bytes of another kind are never served as a page or a drawing")
  func odd() async throws {
    let (store, visit) = try store()
    let text = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
    let id = try #require(UUID(uuidString: photo))
    let context = ModelContext(store.container)
    context.insert(
      StoredPhoto(VisitPhoto(id: id, reservationID: visit.id), data: Data(text.utf8)))
    try context.save()
    try await withApp(store) { client async throws in
      let served = try await client.request("GET", "/api/photos/\(photo)")
      #expect(served.status == 200 && served["Content-Type"] == "application/octet-stream")
      #expect(served["X-Content-Type-Options"] == "nosniff")
      let policy = try #require(served["Content-Security-Policy"])
      #expect(policy.contains("default-src 'none'"))
    }
  }

  @Test("other files, too many bytes, wrong parameters and other sites' requests are refused")
  func refused() async throws {
    let (store, visit) = try store()
    try await withApp(store) { client async throws in
      func put(_ target: String, _ bytes: [UInt8], _ headers: [(String, String)]? = nil)
        async throws -> (Int, String)
      {
        let answer = try await client.request(
          "PUT", target, headers: headers ?? own, bytes: bytes)
        return (answer.status, try answer.text)
      }
      let good = [UInt8](SamplePhotos.png())
      let svg = try await put(target(visit), Array("<svg/>".utf8))
      #expect(svg.0 == 422 && svg.1.contains("Use a photo in JPEG, PNG or WebP."))
      let pixels = try await put(target(visit), [UInt8](SamplePhotos.png(8_000, 5_001)))
      #expect(pixels.0 == 422 && pixels.1.contains("megapixels"))
      let large = try await client.request(
        "PUT", target(visit), headers: own + [("Content-Length", "10000001")])
      #expect(try large.status == 422 && large.text.contains("A photo has at most 10 MB."))
      let long = String(repeating: "a", count: 201)
      #expect(try await put(target(visit, caption: long), good).0 == 422)
      #expect(try await put(target(Reservation(landmarkID: 1, date: .now)), good).0 == 404)
      for query in [
        "", "?reservation=\(visit.id)", "?added=1", "?reservation=x&added=1",
        "?reservation=\(visit.id)&added=x", "?reservation=\(visit.id)&added=1e99",
        "?reservation=\(visit.id)&added=1&b=1",
      ] {
        #expect(try await put("/api/photos/\(photo)\(query)", good).0 == 400, "\(query)")
      }
      #expect(try await put(target(visit), good, []).0 == 403)
      let method = try await client.request("POST", "/api/photos/\(photo)", headers: own)
      #expect(method.status == 405)
      for path in ["/api/photos", "/api/photos/", "/api/photos/x", "/api/photos/\(photo)/a"] {
        #expect(try await client.request("GET", path).status == 404, "\(path)")
      }
      #expect(
        try await client.request("DELETE", "/api/photos/\(photo)").status == 403)
      #expect(try store.photos().isEmpty)
    }
  }
}
