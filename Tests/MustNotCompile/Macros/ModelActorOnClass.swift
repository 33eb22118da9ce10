import SwiftData

@ModelActor
final class ClassImporter {}

@ModelActor
struct StructureImporter {}
