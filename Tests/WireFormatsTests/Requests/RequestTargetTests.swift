import Testing
import WireFormats

@Suite("Targets of requests")
struct RequestTargetTests {
  @Test("A plus in a path is a plus, in a query a blank")
  func plus() throws {
    #expect(try RequestTarget.decoded("a+b%20c%2B") == "a+b c+")
    let target = try RequestTarget("/x?search=a+b%2B")
    #expect(target.parameters.map(\.value) == ["a b+"])
  }

  @Test(
    "A target that can't be used is refused",
    arguments: [
      (nil, .notAPath), ("", .notAPath), ("x/y", .notAPath),
      ("/" + String(repeating: "a", count: RequestTarget.maximumLength), .tooLong),
      ("/x?a=%4", .invalidEncoding), ("/x?a=%ff", .invalidEncoding), ("/x?a=%00", .invalidEncoding),
    ] as [(String?, RequestTargetError.Code)])
  func refused(target: String?, code: RequestTargetError.Code) {
    do {
      _ = try RequestTarget(target)
      Issue.record("the target was taken")
    } catch {
      #expect(error.code == code)
    }
  }
}
