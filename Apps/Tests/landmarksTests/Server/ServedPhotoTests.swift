import Foundation
import LandmarksKit
import LocalApp
import SwiftData
import Testing

@testable import landmarks
@testable import ProgramTesting
@testable import SwiftDataSync
@testable import TestSupport

@Suite("Photos at the server", .timeLimit(.minutes(20)))
struct ServedPhotoTests {
  private let visit = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
  private let photo = "7A9619FF-8B86-D011-B42D-00CF4FC964FF"

  private func body(
    _ data: String, visit: String? = nil, caption: String = "From below"
  ) -> String {
    #"{"reservationID":"\#(visit ?? self.visit)","added":"2030-06-01T12:00:00Z","#
      + #""caption":"\#(caption)","data":\#(data)}"#
  }

  private func inline(_ data: Data) -> String { "\"\(data.base64EncodedString())\"" }

  private func reserve(_ client: WireClient) async throws {
    let made = try await client.request(
      "PUT", "/reservations/\(visit)", by: alice,
      body: #"{"landmarkID":1002,"date":"2030-06-01T12:00:00Z","status":"confirmed"}"#)
    #expect(made.status == 201)
  }

  @Test("a small photo is kept, listed, changed on condition and removed; others see nothing of it")
  func small() async throws {
    try await withServer { client async throws in
      try await reserve(client)
      let content = inline(SamplePhotos.png())
      let made = try await client.request("PUT", "/photos/\(photo)", by: alice, body: body(content))
      #expect(try made.status == 201 && made.text.contains(#""caption":"From below""#))
      #expect(made["X-Content-Type-Options"] == "nosniff")
      let again = try await client.request(
        "PUT", "/photos/\(photo)", by: alice, body: body(content))
      #expect(again.status == 200 && again["ETag"] == made["ETag"])
      let changed = body(content, caption: "From above")
      #expect(
        try await client.request("PUT", "/photos/\(photo)", by: alice, body: changed).status == 428)
      let tag = try #require(made["ETag"])
      let put = try await client.request(
        "PUT", "/photos/\(photo)", by: alice, [("If-Match", tag)], body: changed)
      #expect(try put.status == 200 && put.text.contains("From above"))
      #expect(
        try await client.request(
          "PUT", "/photos/\(photo)", by: alice, [("If-Match", tag)], body: body(content)
        ).status == 412)
      #expect(try await client.request("GET", "/photos", by: alice).text.contains(photo))
      #expect(try await client.request("GET", "/photos", by: bob).text == "[]")
      #expect(try await client.request("GET", "/photos/\(photo)", by: bob).status == 404)
      #expect(try await client.request("DELETE", "/photos/\(photo)", by: bob).status == 204)
      #expect(try await client.request("GET", "/photos/\(photo)", by: alice).status == 200)
      #expect(try await client.request("DELETE", "/photos/\(photo)", by: alice).status == 204)
      #expect(try await client.request("GET", "/photos", by: alice).text == "[]")
    }
  }

  @Test("what isn't a photo, too large, or of no visit of the user is refused with a reason")
  func refused() async throws {
    try await withServer { client async throws in
      try await reserve(client)
      func put(_ body: String, by token: String = alice) async throws -> (Int, String) {
        let answer = try await client.request("PUT", "/photos/\(photo)", by: token, body: body)
        return (answer.status, try answer.text)
      }
      for text in ["<html><script>alert(1)</script>", "<svg onload='alert(1)'/>", "GIF89a"] {
        let (status, answer) = try await put(body(inline(Data(text.utf8))))
        #expect(status == 422 && answer.contains("Use a photo in JPEG, PNG or WebP."))
      }
      let (pixels, reason) = try await put(body(inline(SamplePhotos.png(8_000, 5_001))))
      #expect(pixels == 422 && reason.contains("at most 40 megapixels"))
      let content = inline(SamplePhotos.png())
      let (unknown, why) = try await put(body(content, visit: photo))
      #expect(unknown == 422 && why.contains("The visit of this photo was removed."))
      // The visit is another user's.
      #expect(try await put(body(content), by: bob).0 == 422)
      let long = String(repeating: "a", count: 201)
      #expect(try await put(body(content, caption: long)).0 == 422)
      #expect(try await put(body(content, caption: #"a\nb"#)).0 == 422)
      #expect(try await put(body(inline(SamplePhotos.png(count: 16_385)))).0 == 422)
      for wrong in ["1", "null", "{}", #""%""#, #"{"sha256":"a","size":20000}"#, "[]"] {
        #expect(try await put(body(wrong)).0 == 400, "\(wrong)")
      }
      #expect(try await client.request("GET", "/photos", by: alice).text == "[]")
    }
  }

  @Test("a large photo's bytes come first, in portions; another user's bytes count as missing")
  func attachment() async throws {
    try await withServer { client async throws in
      try await reserve(client)
      let data = SamplePhotos.jpeg(count: 40_000)
      let name = SyncAttachment(of: data).sha256
      let content = #"{"sha256":"\#(name)","size":40000}"#
      let early = try await client.request(
        "PUT", "/photos/\(photo)", by: alice, body: body(content))
      #expect(try early.status == 424 && early.text.contains("bytes_missing"))
      for (offset, part) in [(0, data.prefix(30_000)), (30_000, data.dropFirst(30_000))] {
        let sent = try await client.request(
          "PATCH", "/attachments/\(name)?size=40000",
          headers: [
            ("Authorization", "Bearer \(alice)"), ("Upload-Offset", "\(offset)"),
          ], bytes: Array(part))
        #expect(try sent.status == 200 && sent.text == #"{"offset":\#(offset + part.count)}"#)
      }
      let made = try await client.request("PUT", "/photos/\(photo)", by: alice, body: body(content))
      #expect(made.status == 201)
      let query = "/attachments?entity=photos&key=\(photo)&property=data&sha256=\(name)&size=40000"
      let part = try await client.request(
        "GET", query, by: alice, [("Range", "bytes=10000-19999")])
      #expect(part.status == 206 && Data(part.body) == data[10_000..<20_000])
      #expect(part["Content-Type"] == "application/octet-stream")
      #expect(part["X-Content-Type-Options"] == "nosniff")
      // A user who knows the name gets neither the bytes nor a photo with them.
      #expect(try await client.request("GET", query, by: bob).status == 404)
      _ = try await client.request(
        "PUT", "/reservations/\(visit)", by: bob,
        body: #"{"landmarkID":1002,"date":"2030-06-01T12:00:00Z","status":"confirmed"}"#)
      let stolen = try await client.request("PUT", "/photos/\(photo)", by: bob, body: body(content))
      #expect(stolen.status == 424)
      // The visit takes its photos with it.
      let tag = try await client.request("GET", "/reservations/\(visit)", by: alice)["ETag"] ?? ""
      let gone = try await client.request(
        "DELETE", "/reservations/\(visit)", by: alice, [("If-Match", tag)])
      #expect(gone.status == 204)
      #expect(try await client.request("GET", "/photos", by: alice).text == "[]")
      #expect(try await client.request("GET", query, by: alice).status == 404)
    }
  }

  @Test("the bytes of a photo whose visit was removed fill no space")
  func removedVisit() async throws {
    try await withServer { client async throws in
      try await reserve(client)
      let data = SamplePhotos.jpeg(count: 40_000)
      let name = SyncAttachment(of: data).sha256
      let content = #"{"sha256":"\#(name)","size":40000}"#
      let sent = try await client.request(
        "PATCH", "/attachments/\(name)?size=40000",
        headers: [("Authorization", "Bearer \(alice)"), ("Upload-Offset", "0")],
        bytes: Array(data))
      #expect(sent.status == 200)
      let refused = try await client.request(
        "PUT", "/photos/\(photo)", by: alice, body: body(content, visit: photo))
      #expect(try refused.status == 422 && refused.text.contains("unknown_reservation"))
      let lacking = try await client.request(
        "PUT", "/photos/\(photo)", by: alice, body: body(content))
      #expect(try lacking.status == 424 && lacking.text.contains("bytes_missing"))
    }
  }

  @Test("requests about attachments that are malformed or too large are refused")
  func malformed() async throws {
    try await withServer { client async throws in
      let name = String(repeating: "ab", count: 32)
      for (method, target, status) in [
        ("GET", "/attachments", 400), ("GET", "/attachments?sha256=../../etc/passwd&size=1", 400),
        ("PUT", "/attachments", 405), ("GET", "/attachments/missing", 405),
        ("POST", "/attachments/missing", 400), ("GET", "/attachments/\(name)", 405),
        ("PATCH", "/attachments/\(name)?size=20000", 400),
        ("PATCH", "/attachments/%2e%2e%2fa?size=20000", 400),
        ("GET", "/attachmentsx", 404), ("GET", "/photos/x", 404), ("POST", "/photos", 405),
        ("GET", "/photos?a=1", 400),
      ] {
        let answer = try await client.request(method, target, by: alice)
        #expect(answer.status == status, "\(method) \(target)")
        #expect(try answer.text.contains(#""error""#), "\(method) \(target)")
      }
      let large = try await client.request(
        "PATCH", "/attachments/\(name)?size=10000001",
        headers: [
          ("Authorization", "Bearer \(alice)"), ("Upload-Offset", "0"),
        ], bytes: [1, 2, 3])
      #expect(try large.status == 413 && large.text.contains("A photo has at most 10 MB."))
      #expect(try await client.request("GET", "/attachments").status == 401)
    }
  }

  @Test("a visit has at most 20 photos, and files of removed photos go")
  func limits() async throws {
    let folder = try TemporaryFolder()
    let store = try ServedStore(
      file: folder.file("server.store"), landmarks: try LandmarkCatalogue.load())
    let number = UUID()
    _ = try await store.put(
      number,
      ReservationBody(
        landmarkID: 1002, date: Date(timeIntervalSinceReferenceDate: 1e9), status: "confirmed"),
      of: "a", .none)
    let data = SamplePhotos.jpeg(count: 150_000)
    let attachment = SyncAttachment(of: data)
    func add(_ content: PhotoContent, _ id: UUID = UUID()) async throws {
      _ = try await store.putPhoto(
        id,
        PhotoBody(
          reservationID: number, added: Date(timeIntervalSinceReferenceDate: 1e9), caption: "",
          data: content), of: "a", .none)
    }
    let large = UUID()
    #expect(
      try await store.upload([UInt8](data), of: attachment, at: 0, user: "a") == data.count)
    try await add(.attachment(attachment), large)
    func files(_ name: String) throws -> [String] {
      let all = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap {
        $0 as? String
      }
      return (all ?? []).filter { $0.contains(name) }
    }
    #expect(try files(attachment.sha256).count == 1)
    for _ in 1..<VisitPhoto.maximumCount { try await add(.bytes(SamplePhotos.png())) }
    do {
      try await add(.bytes(SamplePhotos.png()))
      Issue.record("the 21st photo was taken")
    } catch let failure as APIFailure {
      #expect(failure.code == "too_many_photos")
    }
    try await store.removePhoto(large, of: "a", .none)
    #expect(try files(attachment.sha256).isEmpty)
    try await add(.bytes(SamplePhotos.png()))
    #expect(try await store.photos(of: "a").count == VisitPhoto.maximumCount)
    #expect(try await store.photos(of: "b").isEmpty)
  }

  @Test("sizes of any number, as in a changed store, neither end the server nor make space")
  func anySizes() async throws {
    let store = try ServedStore(file: nil, landmarks: try LandmarkCatalogue.load())
    let number = UUID()
    let date = Date(timeIntervalSinceReferenceDate: 1e9)
    _ = try await store.put(
      number, ReservationBody(landmarkID: 1002, date: date, status: "confirmed"), of: "a", .none)
    let body = PhotoBody(
      reservationID: number, added: date, caption: "", data: .bytes(SamplePhotos.png()))
    let known = try await [
      store.putPhoto(UUID(), body, of: "a", .none), store.putPhoto(UUID(), body, of: "a", .none),
    ]
    let container = await store.container
    let most = ServedStore.maximumPhotoBytes
    for sizes in [[Int.max, .max], [.max, .min], [most, -1_000_000_000]] {
      let context = ModelContext(container)
      for (photo, size) in zip(try context.fetch(FetchDescriptor<ServedPhoto>()), sizes) {
        photo.byteCount = size
      }
      try context.save()
      do {
        _ = try await store.putPhoto(UUID(), body, of: "a", .none)
        Issue.record("a photo was taken beside those of \(sizes) bytes")
      } catch let failure as APIFailure {
        #expect(failure.code == "no_space")
      }
    }
    #expect(try await store.photos(of: "a").count == known.count)
  }
}
