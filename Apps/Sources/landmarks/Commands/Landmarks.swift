import ArgumentParser
import LocalApp
import SwiftData

/// The command `landmarks`.
@main
struct Landmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "landmarks",
    abstract: "Landmarks, favorites and reservations that work without a network.",
    discussion: """
      Everything is kept in a store on this machine. Your changes are sent to the server when it can \
      be reached.

      EXAMPLES
        landmarks users add ann                   a user of the server
        landmarks serve                           the server
        landmarks sign-in --user ann              at the server, for this device
        landmarks app                             the page: http://127.0.0.1:8091
        landmarks sync                            get landmarks, exchange changes
        landmarks list --category lakes           look
        landmarks favorite 1002                   mark
        landmarks reserve 1002 --on 2027-06-01T10:00
        landmarks note 5F0C… 'Bring water'        a note on a visit
        landmarks photo 5F0C… dome.jpg            a photo of a visit
        landmarks calendar > visits.ics           for a calendar program
        landmarks status                          how old, how much waits

      ENVIRONMENT
        LANDMARKS_STORE    stands in for --store of a device's commands, which
                           beats it; not for that of serve and users
        LANDMARKS_SERVER   for --server
        LANDMARKS_TOKEN    for --token
        NO_COLOR           switches colour off

      EXIT CODES
          0  done
          1  no such landmark, reservation or photo
         64  wrong usage
         65  the server's answer cannot be used
         69  the server cannot be reached; changes are kept and wait
         70  a defect of this program
         74  the store, a file or a port fails; a store to be read is not there
         77  nobody is signed in, or the server refuses the token or password
        130  interrupted
      """,
    version: LandmarksVersion.current,
    subcommands: [
      ServeCommand.self, UsersCommand.self, SignInCommand.self, SignOutCommand.self,
      AppCommand.self, BesideCommand.self, ListCommand.self, FavoriteCommand.self,
      ReserveCommand.self,
      NoteCommand.self, PhotoCommand.self, CalendarCommand.self, ActivityCommand.self,
      StatusCommand.self, SyncCommand.self,
    ])

  /// Runs the command and converts an error into a message and an exit code.
  static func main() async {
    // Not notices: some parts of a request are evaluated in memory, and the result is the same.
    SwiftDataLog.handler = { message in
      if message.level != .notice { complain("\(message)") }
    }
    await runProgram("landmarks") { ExitStatus($0) }
  }
}
