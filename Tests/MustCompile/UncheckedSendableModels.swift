import SwiftData

/// A program that vouches for its models by itself, as Apple's macro permits.
@Model
final class VouchedNote: @unchecked Sendable {
  var text = ""
  @Relationship(inverse: \VouchedTag.note) var tags: [VouchedTag] = []

  init() {}
}

@Model
public final class VouchedTag {
  public var name: String = "" {
    didSet { if name.isEmpty { name = oldValue } }
  }
  var note: VouchedNote?

  public init() {}
}

extension VouchedTag: @unchecked Sendable {}
