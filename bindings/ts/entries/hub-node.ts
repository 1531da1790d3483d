/** Node loads this file when the first file of a hub is asked for. */
import { openFolder } from "../model/hub/folder.js";
import { type HubOptions, openHub as open } from "../model/hub/hub.js";

export const openHub = (repository: string, options: HubOptions) => open(repository, options, openFolder);
