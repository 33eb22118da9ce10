import ArgumentParser
import Foundation
import HTTPContent
import LandmarksKit
import LocalApp
import WireFormats

/// `landmarks photo`: adds, lists, saves and removes photos of a reservation, and changes their captions.
struct PhotoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo",
    abstract: "Add, list, caption, save and remove photos of a reservation.",
    discussion: """
      Done at once and without the server, which gets the photo at the next exchange: in portions, \
      so that an interrupted exchange continues. Photos are sent as they are, with the place and time \
      that a camera may have written into them.

      EXAMPLES
        landmarks photo 5F0C…
        landmarks photo 5F0C… dome.jpg --caption 'From the valley'
        landmarks photo 5F0C… --save photos
        landmarks photo --change 81AA… --caption 'From the bridge'
        landmarks photo --remove 81AA…
      """)

  @Argument(help: "The reservation, as `landmarks reserve` prints it, or its first digits.")
  var id: String?

  @Argument(help: "A photo in JPEG, PNG or WebP, to add.")
  var file: String?

  @Option(
    help: ArgumentHelp(
      "The caption of the added or changed photo; '' takes it away.", valueName: "text"))
  var caption: String?

  @Option(help: ArgumentHelp("The folder to save the photos in.", valueName: "folder"))
  var save: String?

  @Option(help: ArgumentHelp("The photo to change the caption of.", valueName: "photo"))
  var change: String?

  @Option(help: ArgumentHelp("The photo to remove.", valueName: "photo"))
  var remove: String?

  @Flag(
    help: "Print the photos as a JSON array; the one added, changed or removed as an object.")
  var json = false

  @OptionGroup var storeOptions: StoreOptions

  func validate() throws {
    guard [id, change, remove].count(where: { $0 != nil }) == 1 else {
      throw ValidationError("Give a reservation, or --change or --remove with a photo.")
    }
    guard (caption == nil || file != nil || change != nil) && (change == nil || caption != nil)
    else {
      throw ValidationError("--caption belongs to a photo that is added, or to --change.")
    }
    let actions = [change != nil, file != nil, save != nil, remove != nil]
    guard actions.count(where: { $0 }) <= 1 else {
      throw ValidationError("Use one of a file, --save, --change and --remove at a time.")
    }
  }

  func run() async throws {
    let isReadOnly = file == nil && change == nil && remove == nil
    let store = try storeOptions.openExisting(isReadOnly: isReadOnly)
    var output = StandardOutput()
    if let remove {
      let id = try Self.photo(remove, store)
      let removed = try store.photo(id)?.photo
      try store.removePhoto(id)
      if json {
        try await write(removed, store, &output)
      } else {
        guard let removed else { throw ObjectName.photo.missing(id) }
        let name = try NoticeText.name(ofVisit: removed.reservationID, store)
        try output.line("removed: \(id.uuidString)  a photo of \(name)")
      }
    } else if let change {
      let id = try Self.photo(change, store)
      try store.setCaption(caption ?? "", ofPhoto: id)
      let changed = try store.photo(id)
      if json {
        try await write(changed?.photo, store, &output)
      } else if let (photo, data) = changed {
        let waiting = try await store.waitingByIdentifier(isRequired: false)
        try Self.write(photo, data, waiting, &output)
      }
    } else if let id {
      let visit = try ReserveCommand.reservation(id, store)
      guard try store.reservation(visit) != nil else {
        throw ObjectName.reservation.missing(visit)
      }
      if let file {
        let photo = VisitPhoto(reservationID: visit, caption: caption ?? "")
        let data = try Self.read(URL(fileURLWithPath: file))
        try store.add(photo, data: data)
        if json {
          try await write(store.photo(photo.id)?.photo, store, &output)
        } else {
          let waiting = try await store.waitingByIdentifier(isRequired: false)
          try Self.write(photo, data, waiting, &output)
        }
      } else {
        try await list(visit, store, &output)
      }
    }
    try output.flush()
  }

  /// Returns the photo that a user names, by its identifier or the beginning of it.
  private static func photo(_ text: String, _ store: LandmarkStore) throws -> UUID {
    try ObjectName.photo.identifier(text) { try store.photos().map(\.id) }
  }

  private func list(
    _ visit: UUID, _ store: LandmarkStore, _ output: inout StandardOutput
  ) async throws {
    let photos = try store.photos(of: visit)
    if photos.isEmpty, !json { complain("No photos.") }
    let folder = save.map { URL(fileURLWithPath: $0, isDirectory: true) }
    let waiting = try await store.waitingByIdentifier(isRequired: json)
    var files: [UUID: URL] = [:]
    for photo in photos where folder != nil || !json {
      // It was removed meanwhile.
      guard let data = try store.photo(photo.id)?.data else { continue }
      if let folder {
        let file = try Self.save(photo, data, in: folder)
        files[photo.id] = file
        if !json { try output.line(file.path) }
      } else {
        try Self.write(photo, data, waiting, &output)
      }
    }
    guard json else { return }
    try output.json {
      $0.list(photos) { $0.photo($1, waiting[$1.id.uuidString], file: files[$1.id]?.path) }
    }
  }

  /// Writes a photo as JSON; `null` for one that wasn't there.
  private func write(
    _ photo: VisitPhoto?, _ store: LandmarkStore, _ output: inout StandardOutput
  ) async throws {
    let waiting = try await store.waitingByIdentifier()
    try output.json { json in
      guard let photo else { return json.raw("null") }
      json.photo(photo, waiting[photo.id.uuidString])
    }
  }

  private static func write(
    _ photo: VisitPhoto, _ data: Data, _ waiting: [String: WaitingChange],
    _ output: inout StandardOutput
  ) throws {
    let image = PhotoImage(data)
    let form = image.map { "\($0.format.rawValue) \($0.width) × \($0.height)" } ?? "unknown"
    try output.line(
      "\(photo.id.uuidString)  \(ReserveCommand.text(photo.added))  \(form)  "
        + "\(max(1, data.count / 1_000)) kB  \(PlainText.neutralised(photo.caption))"
        + NoticeText.mark(waiting[photo.id.uuidString]))
  }

  /// Reads a photo, as far as it can be large.
  private static func read(_ file: URL) throws -> Data {
    let limit = VisitPhoto.maximumByteCount
    guard (try? file.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory != true else {
      throw LandmarksError(
        .inputOutput, PlainText.neutralised(file.path), reason: "this is a folder, not a photo")
    }
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      var data = Data()
      while data.count <= limit,
        let part = try handle.read(upToCount: limit + 1 - data.count), !part.isEmpty
      {
        data += part
      }
      return data
    } catch {
      throw LandmarksError(
        .inputOutput, PlainText.neutralised(file.path), reason: FileFailure.reason(error))
    }
  }

  /// Saves a photo under its identifier; an existing file is left as it is, and reported.
  private static func save(_ photo: VisitPhoto, _ data: Data, in folder: URL) throws -> URL {
    let ending = PhotoImage(data)?.format.fileEnding ?? "bin"
    let file = folder.appendingPathComponent("\(photo.id.uuidString).\(ending)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try data.write(to: file, options: .withoutOverwriting)
    } catch {
      throw LandmarksError(
        .inputOutput, PlainText.neutralised(file.path), reason: FileFailure.reason(error))
    }
    return file
  }
}
