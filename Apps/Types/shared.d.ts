// The values of the modules that both pages have.

/** A message of a stream's source or worker to the page. */
type StreamMessage =
  | { type: "open" | "lost" }
  | { type: "news"; name: string; data: string };

/** The shapes of the base map as GeoJSON, by kind. */
type BaseShapes = Record<string, object[]>;

/** The differences between the points of a line of the base map. */
type PackedLine = number[] | string;

/** https://wicg.github.io/netinfo/, in some browsers */
interface Navigator {
  connection?: { saveData?: boolean };
}

/** Points with their names, and the zoom from which on each is shown. */
interface NamedPoints {
  names: string[];
  points: [longitude: number, latitude: number][];
  zooms: number[];
}

/** A message of the program about a failed request. */
interface FailureAnswer {
  error?: { code?: string; message?: string };
}
