/** A page loads this file when the first file of a hub is asked for. */
import { openCacheApi } from "../model/hub/cache-api.js";
import { type HubOptions, openHub as open } from "../model/hub/hub.js";

export const openHub = (repository: string, options: HubOptions) => open(repository, options, openCacheApi);
