/** Starts the page. */

import { App } from "./app.js";
import { keepFiles } from "./offline.js";

new App().start();
keepFiles();
