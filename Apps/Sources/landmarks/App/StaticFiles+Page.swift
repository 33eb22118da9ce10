import Foundation
import LocalApp

extension StaticFiles {
  /// Returns the files of the landmarks page.
  static func bundledWithPage() throws -> StaticFiles { try bundled(Bundle.module) }
}
