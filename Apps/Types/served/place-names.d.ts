// Quakes serves the module, which it makes of the names that its search knows.

/** Countries and states: the words that mean one, and the texts by which places tell it. */
declare const places: { keys: string[]; texts: string[] }[];
export default places;
