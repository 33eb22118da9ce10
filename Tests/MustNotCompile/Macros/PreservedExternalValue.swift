import Foundation
import SwiftData

@Model
final class ArchivedPhoto {
  @Attribute(.preserveValueOnDeletion, .externalStorage) var image: Data?

  init() {}
}
