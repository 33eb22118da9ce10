/** Starts the page. */

import { App } from "./app.js";

const app = new App();
app.start();
