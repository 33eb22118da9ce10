import Foundation
import HTTPTypes
import LandmarksKit
import LocalApp
import LocalStore
import SwiftData
import SwiftDataExtras
import SwiftDataSync

/// The server's own store. Requests read and write it one after the other.
actor ServedStore {
  /// The maximum number of reservations of a user.
  static let maximumReservations = 1_000

  /// The condition of a write (RFC 9110, 13.1).
  enum Condition: Hashable, Sendable {
    case none
    /// `If-Match` with revisions; tags that the server never sent are left out.
    case revisions(Set<Int>)
    /// `If-Match: *`.
    case present
    /// `If-None-Match: *`.
    case absent
  }

  let container: ModelContainer
  /// The bytes of photos that users have sent, until a photo has them.
  let uploads: SyncUploads
  private let rules: VisitRules
  /// The first revision that was assigned since the start; a store with an earlier newest one was replaced by a copy.
  var firstRevision = Int.max
  let beginning: @Sendable (_ newest: Int64) -> Int64

  /// The models of the store.
  static var schema: Schema {
    Schema([
      ServedLandmark.self, ServedFavorite.self, ServedReservation.self, ServedPhoto.self,
      ServedCounter.self, ServedSession.self, ServedSkip.self,
    ])
  }

  /// Opens the store, and updates its landmarks to the given ones.
  /// - Parameters:
  ///   - file: The file of the store; nil keeps it in memory.
  ///   - landmarks: The landmarks that the server offers.
  ///   - rules: The rules for new and changed visits.
  ///   - beginning: Returns the first revision to assign after the newest one of the store.
  init(
    file: URL?, landmarks: [Landmark], rules: VisitRules = VisitRules(),
    beginning: @escaping @Sendable (_ newest: Int64) -> Int64 = SyncServer.firstVersion(after:)
  ) throws {
    self.rules = rules
    self.beginning = beginning
    uploads = SyncUploads(
      file.map {
        $0.deletingLastPathComponent().appending(path: $0.lastPathComponent + "-uploads")
      },
      limits: Self.uploadLimits)
    let configuration: ModelConfiguration
    if let file {
      // The data of all users must not be readable by others on the machine.
      try PrivateFiles.prepare(file)
      configuration = try StoreOpening.configuration(of: file, Self.schema)
      // The store's folder for large values.
      try PrivateFiles.makeFolder(
        file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent)_SUPPORT"))
    } else {
      configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    }
    container = try ModelContainer(for: Self.schema, configurations: [configuration])
    let batch = try BatchUpsert<ServedLandmark>(container, author: "catalogue")
    for landmark in landmarks { try batch.upsert(ServedLandmark(landmark)) }
    try batch.commit()
  }

  func landmarks() throws -> [Landmark] {
    try ModelContext(container).fetch(
      FetchDescriptor<ServedLandmark>(sortBy: [SortDescriptor(\.number)])
    ).map { try $0.toDomain() }
  }

  func landmark(_ number: Int) throws -> Landmark {
    guard let landmark = try Self.landmark(number, ModelContext(container)) else {
      throw APIFailure.notFound("There is no landmark with this number.")
    }
    return try landmark.toDomain()
  }

  func favorites(of user: String) throws -> [Int] {
    try ModelContext(container).fetch(
      FetchDescriptor<ServedFavorite>(
        predicate: #Predicate { $0.user == user }, sortBy: [SortDescriptor(\.landmarkID)])
    ).map(\.landmarkID)
  }

  func setFavorite(_ number: Int, _ isFavorite: Bool, of user: String) throws {
    let context = ModelContext(container)
    let known = try context.fetch(
      FetchDescriptor<ServedFavorite>(
        predicate: #Predicate { $0.user == user && $0.landmarkID == number })
    ).first
    if isFavorite {
      guard try Self.landmark(number, context) != nil else {
        throw APIFailure.notFound("There is no landmark with this number.")
      }
      if known == nil {
        context.insert(ServedFavorite(user: user, landmarkID: number))
        _ = try nextRevision(context)
      }
    } else if let known {
      context.delete(known)
    }
    try context.save()
  }

  func reservations(of user: String) throws -> [ReservationAnswer] {
    try ModelContext(container).fetch(
      FetchDescriptor<ServedReservation>(
        predicate: #Predicate { $0.user == user }, sortBy: [SortDescriptor(\.date)])
    ).map(\.answer)
  }

  func reservation(_ number: UUID, of user: String) throws -> ReservationAnswer {
    guard let found = try Self.reservation(number, user, ModelContext(container)) else {
      throw APIFailure.notFound("There is no such reservation.")
    }
    return found.answer
  }

  /// Creates a reservation, or replaces one on a condition. A reservation that is already equal is left as it is,
  /// regardless of the condition: the request was repeated.
  /// - Returns: The reservation, and whether it is new.
  func put(
    _ number: UUID, _ body: ReservationBody, of user: String, _ condition: Condition
  ) throws -> (answer: ReservationAnswer, isNew: Bool) {
    let context = ModelContext(container)
    let known = try Self.reservation(number, user, context)
    var body = body
    body.note = body.note ?? known?.note
    if let known, known.body == body { return (known.answer, false) }
    try Self.check(condition, known?.revision, "reservation")
    guard known == nil || condition != .none else {
      // RFC 6585, section 3: a client must not overwrite another client's changes without having seen them.
      throw APIFailure(
        .preconditionRequired, "condition_required",
        "There is such a reservation; say in If-Match which revision you change.")
    }
    guard let landmark = try Self.landmark(body.landmarkID, context) else {
      throw APIFailure(
        .unprocessableContent, "unknown_landmark", "There is no landmark with this number.",
        parameter: "landmarkID")
    }
    if known == nil {
      let count = try context.fetchCount(
        FetchDescriptor<ServedReservation>(predicate: #Predicate { $0.user == user }))
      guard count < Self.maximumReservations else {
        throw APIFailure(
          .unprocessableContent, "too_many_reservations",
          "A user has at most \(Self.maximumReservations) reservations; remove old ones.")
      }
    }
    // Another note is no other visit: rules that came later don't hold it up.
    var unnoted = known?.body
    unnoted?.note = body.note
    if unnoted != body { try rules.check(body, number, of: user, at: landmark, context) }
    let revision = try nextRevision(context)
    let written: ServedReservation
    if let known {
      known.landmarkID = body.landmarkID
      known.date = body.date
      known.status = body.status
      known.note = body.note
      known.revision = revision
      written = known
    } else {
      written = ServedReservation(user: user, number: number, body: body, revision: revision)
      context.insert(written)
    }
    try context.save()
    return (written.answer, known == nil)
  }

  /// Removes a reservation and its photos; does nothing if it doesn't exist.
  func remove(_ number: UUID, of user: String, _ condition: Condition) throws {
    let context = ModelContext(container)
    guard let known = try Self.reservation(number, user, context) else { return }
    try Self.check(condition, known.revision, "reservation")
    context.delete(known)
    let photos = FetchDescriptor<ServedPhoto>(
      predicate: #Predicate { $0.user == user && $0.reservation == number })
    for photo in try context.fetch(photos) { context.delete(photo) }
    try context.save()
  }

  /// - Parameters:
  ///   - revision: The revision of what is stored; nil if nothing is.
  ///   - kind: The kind of object, for the message.
  static func check(_ condition: Condition, _ revision: Int?, _ kind: String) throws {
    let holds =
      switch condition {
      case .none: true
      case .revisions(let revisions): revision.map { revisions.contains($0) } ?? false
      case .present: revision != nil
      case .absent: revision == nil
      }
    guard holds else {
      throw APIFailure(
        .preconditionFailed, "changed", "The \(kind) was changed meanwhile; read it again.")
    }
  }

  private static func landmark(_ number: Int, _ context: ModelContext) throws -> ServedLandmark? {
    try context.fetch(
      FetchDescriptor<ServedLandmark>(predicate: #Predicate { $0.number == number })
    ).first
  }

  static func reservation(
    _ number: UUID, _ user: String, _ context: ModelContext
  ) throws -> ServedReservation? {
    try context.fetch(
      FetchDescriptor<ServedReservation>(
        predicate: #Predicate { $0.user == user && $0.number == number })
    ).first
  }
}

extension ServedLandmark {
  /// Returns the landmark.
  /// - Throws: ``LandmarksError/Code/storeFailure`` for a category that this version doesn't know.
  func toDomain() throws -> Landmark {
    guard let known = Landmark.Category(rawValue: category) else {
      throw LandmarksError(
        .storeFailure, "landmark \(number)", reason: "the category \(category) is unknown")
    }
    return Landmark(
      id: number, name: name, state: state, city: city, category: known, isFeatured: isFeatured,
      imageName: imageName, coordinates: .init(latitude: latitude, longitude: longitude),
      description: text)
  }
}
