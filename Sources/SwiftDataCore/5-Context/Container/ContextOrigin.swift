/// The origin of a context, which decides what it keeps alive.
enum ContextOrigin {
  /// A separate context, which keeps its container alive.
  case container(ModelContainer)
  /// The main context, which its container keeps alive.
  case main(Weak)
  /// A context that only reads for models whose own context is gone; models don't refer to it as their own.
  case link

  struct Weak {
    weak var container: ModelContainer?
  }

  var container: ModelContainer? {
    switch self {
    case .container(let container): container
    case .main(let weak): weak.container
    case .link: nil
    }
  }

  var isMain: Bool {
    if case .main = self { true } else { false }
  }

  /// Whether models refer to the context as their own.
  var isOwner: Bool {
    if case .link = self { false } else { true }
  }
}
