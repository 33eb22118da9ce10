import Foundation
import PostgresTesting
import SwiftData
import SwiftDataCore
import SwiftDataPostgres
import Testing

/// Two saves of the same rows would wait for each other if each wrote them in the order of its edits.
@Suite("The rows of a save on a server", .server)
struct LockOrderTests {
  @Test("are written in the order of the tables and rows, whatever the order of the edits")
  func order() throws {
    let server = try PostgresServer.shared
    let name = uniqueName("locked")
    let container = try ModelContainer(
      for: serverSchema, configurations: [PostgresConfiguration(name, url: server.url)])
    let filling = ModelContext(container)
    for number in 0..<3 {
      filling.insert(SampleGroup("\(number)"))
      filling.insert(Tag("\(number)"))
    }
    try filling.save()
    let connection = try server.connect()
    try connection.use(schema: name)
    try connection.execute(
      """
      CREATE TABLE written (place bigint GENERATED ALWAYS AS IDENTITY, name text, id bigint);
      CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO written (name, id) VALUES (TG_TABLE_NAME, NEW._id);
        RETURN NEW;
      END $$;
      CREATE TRIGGER note_write BEFORE UPDATE ON "Tag"
        FOR EACH ROW EXECUTE FUNCTION note_write();
      CREATE TRIGGER note_write BEFORE UPDATE ON "SampleGroup"
        FOR EACH ROW EXECUTE FUNCTION note_write();
      """)
    let context = ModelContext(container)
    let tags = try context.fetch(
      FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.persistentModelID)]))
    let groups = try context.fetch(
      FetchDescriptor<SampleGroup>(sortBy: [SortDescriptor(\.persistentModelID)]))
    for tag in tags.reversed() { tag.name += "!" }
    for group in groups.reversed() { group.name += "!" }
    try context.save()
    let written = try connection.run("SELECT name, id FROM written ORDER BY place")
    #expect(
      (0..<written.rowCount).map { written.text($0, 0) } == [
        "SampleGroup", "SampleGroup", "SampleGroup", "Tag", "Tag", "Tag",
      ])
    let expected = (groups.map(\.persistentModelID) + tags.map(\.persistentModelID)).map(\.rowID)
    #expect((0..<written.rowCount).map { written.integer($0, 1) } == expected)
  }
}
