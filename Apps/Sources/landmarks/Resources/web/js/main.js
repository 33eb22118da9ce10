/** Starts the page. */

import { App } from "./app.js";
import { keepFiles } from "./offline.js";

// Over a slow line, the list comes first.
new App().start(keepFiles);
