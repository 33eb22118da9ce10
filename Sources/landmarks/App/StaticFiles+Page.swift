import Foundation
import LocalApp

extension StaticFiles {
  /// The files of the landmarks page.
  static func bundledWithPage() throws -> StaticFiles { try bundled(Bundle.module) }
}
