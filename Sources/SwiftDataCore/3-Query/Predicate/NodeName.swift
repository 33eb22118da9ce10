/// The names of the types of a predicate's nodes.
package enum NodeName {
  /// The name of a type without module and generic arguments.
  ///
  /// The runtime determines the arguments by recursion, which takes a kilobyte of stack for each level, and a node's
  /// type is nested as deep as its predicate. So the name of a structure is read from its metadata.
  package static func of(_ type: any Any.Type) -> String {
    TypeMetadata.nameOfStructure(type) ?? String(String(describing: type).prefix { $0 != "<" })
  }
}
