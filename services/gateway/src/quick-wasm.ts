import { setFlagsFromString } from 'node:v8';

/*
 * V8's quick WebAssembly compiler suffices for rare policy checks: optimizing takes a second of CPU at startup and 50
 * MB, to halve a decision of 1.5 ms (`npm run bench -- policy`). Must be imported before the engine. A flag that is set
 * here implies no other one, so all three are named.
 */
for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
