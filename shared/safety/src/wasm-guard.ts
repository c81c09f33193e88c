import { setFlagsFromString } from 'node:v8';

/*
 * V8 11.3 (Node 20) may inline calls from JavaScript into WebAssembly and crashes the process ("unreachable code" in the deoptimizer)
 * when such a call is deoptimized, after some ten thousand decisions. Without inlining a call costs some nanoseconds more. Import this
 * file before the first WebAssembly call becomes hot.
 */
setFlagsFromString('--no-turbo-inline-js-wasm-calls');
