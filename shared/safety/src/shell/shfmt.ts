import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';

const Position = z.object({ Offset: z.number() });
const Span = z.object({ Pos: Position, End: Position });
/** The used parts of the parser's result. A non-empty `message` is a parse error. */
const ParserResult = z.object({
  text: z.string(),
  message: z.literal(''),
  file: z.object({
    Stmts: z
      .array(
        z.object({
          Cmd: z.unknown(),
          Redirs: z.array(
            z.object({ Op: z.string(), N: z.unknown(), Word: Span.extend({ Parts: z.array(Span).nullable() }) }),
          ),
        }),
      )
      .nullable(),
  }),
});

/** Parses a text; throws when it is no command. */
export type Shfmt = (question: { readonly text: string; readonly print: boolean }) => z.infer<typeof ParserResult>;

/** The compiled parser, made on first use: most processes do not need its 14 ms and 10 MB. */
let compiled: WasmModule | undefined;

/**
 * Starts a new parser instance (4 ms), so that a hostile command cannot affect later ones. Calls the module directly, without the file
 * system and console that sh-syntax would give it.
 */
export function startShfmt(): Shfmt {
  const require = createRequire(import.meta.url);
  compiled ??= new WebAssembly.Module(readFileSync(require.resolve('sh-syntax/main.wasm')));
  const imports: Record<string, Record<string, () => number | bigint>> = {};
  for (const { module, name } of WebAssembly.Module.imports(compiled))
    // The parser's 64-bit numbers are BigInt here: the clock, and references to JavaScript values, of which there are none.
    (imports[module] ??= {})[name] = /^runtime\.|Get$|Index$|stringVal$/.test(name) ? () => 0n : () => 0;
  // The module's version is pinned; a wrong export name would throw, and then a person decides.
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
    return ParserResult.parse(JSON.parse(new TextDecoder().decode(result.subarray(0, result.indexOf(0)))));
  };
}

/** Exports of the module that sh-syntax uses. */
interface ShfmtExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly _start: () => void;
  readonly wasmAlloc: (sizeBytes: number) => number;
  readonly process: (...args: readonly (number | boolean)[]) => number;
}

/** The used part of WebAssembly, which Node's types lack. */
interface Wasm {
  readonly Module: (new (bytes: Uint8Array) => WasmModule) & {
    readonly imports: (module: WasmModule) => readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (
    module: WasmModule,
    imports: Readonly<Record<string, Readonly<Record<string, () => number | bigint>>>>,
  ) => { readonly exports: unknown };
}
/** An opaque handle of a compiled module. */
type WasmModule = object;
declare const WebAssembly: Wasm;
