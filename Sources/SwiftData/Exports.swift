// `import SwiftData` alone is enough for a model: dates, URLs and predicates come with Foundation,
// and the expansion of `@Model` names types of Observation.
@_exported import Foundation
@_exported import Observation
@_exported import SwiftDataCore
@_exported import SwiftDataSQLite
