/// Additional work of a toolkit in the transaction of a context's save, see ``ModelContext/saveCompanion``. A store
/// that knows the companion's class carries it out; a failure undoes the save.
package protocol SaveCompanion: AnyObject {}
