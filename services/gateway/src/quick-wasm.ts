import { setFlagsFromString } from 'node:v8';

/*
 * The gateway asks policy now and then, for its commands: V8's quick compiler for WebAssembly is enough. Optimizing the engine takes a
 * second of CPU at start and 50 MB for good, to halve a decision of 1.5 ms (`npm run bench -- policy`). Importing this file before the
 * engine is what counts.
 */
setFlagsFromString('--liftoff-only');
