/** Starts the page. */

import { App } from "./app.js";
import { keepFiles } from "./offline.js";

const app = new App();
app.start();
// Over a slow line, the list comes first.
app.listed.then(keepFiles);
