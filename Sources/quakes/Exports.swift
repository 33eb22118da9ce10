// What both applications are made of is at hand in all of the program.
@_exported import LocalApp
