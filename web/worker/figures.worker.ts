/// <reference lib="webworker" />
import { encodingsService } from "./encodings-service.js";
import type { FigureCalls } from "./figure-calls.js";
import { receptiveFieldService } from "./receptive-field-service.js";
import { serve } from "./rpc.js";

serve<FigureCalls>(self as unknown as DedicatedWorkerGlobalScope, { ...receptiveFieldService, ...encodingsService });
