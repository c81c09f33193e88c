import { setFlagsFromString } from 'node:v8';

/*
 * V8 11.3 (Node 20) can inline a call from JavaScript into WebAssembly, and ends the whole process ("unreachable code" in the
 * deoptimizer) when such an inlined call has to be given up. It takes some ten thousand decisions to get there. Without the inlining a
 * call costs some nanoseconds more. Found by deciding 10,000 approvals in one process; the same run ends well with the flag.
 * Importing this file is what counts: before the first call into WebAssembly has become hot.
 */
setFlagsFromString('--no-turbo-inline-js-wasm-calls');
