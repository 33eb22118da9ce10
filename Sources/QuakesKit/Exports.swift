// Texts of the feed have to be made safe wherever they are shown.
@_exported import enum HTTPContent.PlainText
