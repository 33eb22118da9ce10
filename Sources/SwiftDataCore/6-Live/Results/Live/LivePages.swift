/// The models of a live list, loaded a leaf at a time when one of them is first read.
///
/// When a list has the same leaf as an earlier one, both have the same page; from other leaves, the loaded models are
/// taken over, without those of deleted rows. So a change elsewhere loads nothing again, and a change in the leaf loads
/// only its new models.
final class LivePages<Element: PersistentModel>: ResultPages {
  let list: KeyList
  private let store: any RowStore
  private var pages: [Int: Page] = [:]
  private let load: ([Int64]) -> [Element]
  private var whole: [Element]?

  private final class Page {
    let leaf: KeyList.Leaf
    var models: [Element?]

    init(_ leaf: KeyList.Leaf) {
      self.leaf = leaf
      models = leaf.keys.map { _ in nil }
    }

    var missing: [Int] { models.indices.filter { models[$0] == nil } }
  }

  /// - Parameters:
  ///   - models: The models of the whole list, when they are known.
  ///   - earlier: The pages of an earlier list of the same context.
  ///   - load: Returns the models of some rows, all of them.
  init(
    _ list: KeyList, of store: any RowStore, models: [Element]? = nil,
    after earlier: LivePages? = nil,
    load: @escaping ([Int64]) -> [Element]
  ) {
    self.list = list
    self.store = store
    self.load = load
    if let models {
      whole = models
      fill(models)
    } else if let earlier {
      adopt(over: earlier)
    }
  }

  private func fill(_ models: [Element]) {
    var position = 0
    for leaf in list.leaves {
      let page = Page(leaf)
      for offset in leaf.keys.indices { page.models[offset] = models[position + offset] }
      pages[leaf.number] = page
      position += leaf.keys.count
    }
  }

  private func adopt(over earlier: LivePages) {
    var loaded: [Int64: Element] = [:]
    for (number, page) in earlier.pages {
      if list.leaf(number) === page.leaf {
        pages[number] = page
      } else {
        for case (let key, let model?) in zip(page.leaf.keys, page.models)
        where !Self.isDeleted(model) {
          loaded[key] = model
        }
      }
    }
    guard !loaded.isEmpty else { return }
    if list.isIndexed {
      for (key, model) in loaded {
        guard let (leaf, offset) = list.location(of: key) else { continue }
        page(of: leaf).models[offset] = model
      }
    } else {
      for leaf in list.leaves {
        for (offset, key) in leaf.keys.enumerated() {
          if let model = loaded[key] { page(of: leaf).models[offset] = model }
        }
      }
    }
  }

  /// Whether the row of a model was deleted. When it is in a list all the same, it was stored again, and has another
  /// model.
  private static func isDeleted(_ model: Element) -> Bool {
    let state = model._$modelState
    return (state.original?._$modelState ?? state).flags.contains(.rowDeleted)
  }

  /// Whether models whose rows were deleted are among the loaded ones.
  var haveDeleted: Bool {
    pages.values.contains { page in
      page.models.contains { $0.map(Self.isDeleted) ?? false }
    }
  }

  /// Whether models whose rows were deleted are among the loaded ones of some rows.
  ///
  /// - Parameter indexed: The same list, with an index.
  func haveDeleted(among rows: [Int64], in indexed: KeyList) -> Bool {
    rows.contains { row in
      guard let (leaf, offset) = indexed.location(of: row), let page = pages[leaf.number],
        page.leaf === leaf, let model = page.models[offset]
      else { return false }
      return Self.isDeleted(model)
    }
  }

  private func page(of leaf: KeyList.Leaf) -> Page {
    if let page = pages[leaf.number], page.leaf === leaf { return page }
    let page = Page(leaf)
    pages[leaf.number] = page
    return page
  }

  private func complete(_ incomplete: [Page]) {
    let places = incomplete.flatMap { page in page.missing.map { (page, $0) } }
    guard !places.isEmpty else { return }
    let models = load(places.map { page, offset in page.leaf.keys[offset] })
    for ((page, offset), model) in zip(places, models) where page.models[offset] == nil {
      page.models[offset] = model
    }
  }

  // MARK: - Reading

  var count: Int { list.count }

  func element(at position: Int) -> Element {
    // Like an array's: an index out of range is an error of the program that no value could stand for.
    precondition(position >= 0 && position < count, "The index \(position) is out of 0..<\(count).")
    let (leaf, offset) = list.location(of: position)
    let page = page(of: leaf)
    if let model = page.models[offset] { return model }
    complete([page])
    return page.models[offset] ?? load([leaf.keys[offset]])[0]
  }

  var loadedBatchCount: Int { pages.values.count { $0.models.contains { $0 != nil } } }

  /// All models; those that aren't loaded yet are loaded with one request.
  var all: [Element] {
    if let whole { return whole }
    let pages = list.leaves.map { page(of: $0) }
    complete(pages)
    let models = pages.flatMap { $0.models.compactMap(\.self) }
    whole = models
    return models
  }

  /// The rows whose models are loaded.
  var loadedRows: [Int64] {
    pages.values.flatMap { page in
      zip(page.leaf.keys, page.models).compactMap { $1 == nil ? nil : $0 }
    }
  }

  func hasSame(
    _ range: Range<Int>, as other: any ResultPages<Element>, _ otherRange: Range<Int>
  ) -> Bool? {
    guard let other = other as? LivePages<Element>, store === other.store else { return nil }
    return zip(range, otherRange).allSatisfy { list[$0] == other.list[$1] }
  }
}
