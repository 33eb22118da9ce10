import Foundation
import SwiftDataCore
import Testing

private final class Reversing: ValueTransformer, @unchecked Sendable {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { String($0.reversed()) }
  }
}

@Suite("ValueTransformer behaves as Foundation's")
struct ValueTransformerTests {
  @Test("a transformer is found by its name until it is taken away")
  func registry() {
    let name = NSValueTransformerName("ValueTransformerTests.Reversing")
    #expect(ValueTransformer.valueTransformer(forName: name) == nil)
    let transformer = Reversing()
    ValueTransformer.setValueTransformer(transformer, forName: name)
    #expect(ValueTransformer.valueTransformer(forName: name) === transformer)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer.valueTransformer(forName: name) == nil)
  }

  @Test("the way back is the transformation itself unless a subclass has another")
  func reverse() {
    #expect(Reversing().reverseTransformedValue("abc") as? String == "cba")
    #expect(ValueTransformer().transformedValue(5) as? Int == 5)
    #expect(Reversing.allowsReverseTransformation())
  }
}
