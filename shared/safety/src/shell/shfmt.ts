import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';

const Position = z.object({ Offset: z.number() });
const Span = z.object({ Pos: Position, End: Position });
/** The parts of the parser's answer that are used. `message` is its error: whatever is not empty throws. */
const Answer = z.object({
  text: z.string(),
  message: z.literal(''),
  file: z.object({
    Stmts: z
      .array(
        z.object({
          Cmd: z.unknown(),
          Redirs: z.array(
            z.object({
              Op: z.string(),
              N: z.unknown(),
              Word: Span.extend({ Parts: z.array(Span).nullable() }),
            }),
          ),
        }),
      )
      .nullable(),
  }),
});

/** Asks the parser about one text; throws when it is no command. */
export type Shfmt = (question: { readonly text: string; readonly print: boolean }) => z.infer<typeof Answer>;

/** Compiled at first use and never changed: 14 ms and 10 MB that most processes do not need. */
let compiled: WasmModule | undefined;

/**
 * Starts the parser anew, about 4 ms: what a hostile command did to its memory ends with it. sh-syntax itself answers through a
 * promise and gives the module a file system and a console; here it is called directly and is given nothing.
 */
export function startShfmt(): Shfmt {
  const require = createRequire(import.meta.url);
  compiled ??= new WebAssembly.Module(readFileSync(require.resolve('sh-syntax/main.wasm')));
  const imports: Record<string, Record<string, () => number | bigint>> = {};
  for (const { module, name } of WebAssembly.Module.imports(compiled))
    // Numbers of 64 bits are BigInt at this border: the clock and references to values of JavaScript, of which there are none.
    (imports[module] ??= {})[name] = /^runtime\.|Get$|Index$|stringVal$/.test(name) ? () => 0n : () => 0;
  // The module is a pinned version; a wrong name would throw at the first call, and then a person decides.
  const { memory, _start, wasmAlloc, process } = new WebAssembly.Instance(compiled, imports).exports as ShfmtExports;
  _start();
  const place = (bytes: Uint8Array): number => {
    const pointer = wasmAlloc(bytes.byteLength);
    new Uint8Array(memory.buffer).set(bytes, pointer);
    return pointer;
  };
  return ({ text, print }) => {
    const bytes = new TextEncoder().encode(text);
    const size = bytes.byteLength;
    const [name, source, stopAt] = [place(new Uint8Array()), place(bytes), place(new Uint8Array())];
    // In the order of its signature: name, source, print, keep comments, bash, stop at, recover no errors, do not simplify,
    // indent, binary next line, switch case indent, space redirects, keep padding, do not minify (it would change quotes),
    // single line, function next line.
    const options = [0, false, 0, false, true, true, false, false, true, false];
    const pointer = process(name, 0, 0, source, size, size, print, true, 1, stopAt, 0, 0, ...options);
    const result = new Uint8Array(memory.buffer).subarray(pointer);
    return Answer.parse(JSON.parse(new TextDecoder().decode(result.subarray(0, result.indexOf(0)))));
  };
}

/** What the module exports, as sh-syntax itself calls it. */
interface ShfmtExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly _start: () => void;
  readonly wasmAlloc: (sizeBytes: number) => number;
  readonly process: (...args: readonly (number | boolean)[]) => number;
}

/** The part of WebAssembly that is used here, which Node has and its types lack. */
interface Wasm {
  readonly Module: (new (bytes: Uint8Array) => WasmModule) & {
    readonly imports: (module: WasmModule) => readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (
    module: WasmModule,
    imports: Readonly<Record<string, Readonly<Record<string, () => number | bigint>>>>,
  ) => { readonly exports: unknown };
}
/** Opaque. */
type WasmModule = object;
declare const WebAssembly: Wasm;
