import { setFlagsFromString } from 'node:v8';

/*
 * V8's quick WebAssembly compiler suffices for rare policy checks: optimizing takes a second of CPU at startup and 50
 * MB, to halve a decision of 1.5 ms (`npm run bench -- policy`). Must be imported before the engine.
 */
setFlagsFromString('--liftoff-only');
