/// Models that one fetch made without some of their properties. Reading a missing property of one of them loads all
/// missing properties of up to 256 of them with one statement.
package final class PartialFetch {
  /// The number of models that load their missing properties together.
  static let groupSize = 256

  /// The positions of the properties that were left out.
  let missing: [Int]
  private var models: [WeakModel] = []

  private struct WeakModel {
    weak var model: AnyObject?
  }

  init(missing: [Int]) { self.missing = missing }

  /// - Returns: The model's place.
  func append(_ model: AnyObject) -> Int {
    models.append(WeakModel(model: model))
    return models.count - 1
  }

  /// Returns the models that load together with the one at `place`.
  func group<Model: PersistentModel>(at place: Int) -> [Model] {
    let start = place / Self.groupSize * Self.groupSize
    return models[start..<min(start + Self.groupSize, models.count)].compactMap { entry in
      guard let model = entry.model as? Model, model._$modelState.partial?.fetch === self else {
        return nil
      }
      return model
    }
  }
}
