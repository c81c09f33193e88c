import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** A value as OTLP writes it in JSON. */
const Value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.union([z.number(), z.string()]) }).transform(({ intValue }) => Number(intValue)),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
  z
    .object({ arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })) }) })
    .transform(({ arrayValue }) => arrayValue.values.map(({ stringValue }) => stringValue)),
]);
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));
const Hex = (digits: number): z.ZodString => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** The part of ExportTraceServiceRequest that a receiver relies on. */
const Request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: Hex(32),
              spanId: Hex(16),
              parentSpanId: Hex(16).optional(),
              name: z.string(),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: z.string().regex(/^\d+$/),
              endTimeUnixNano: z.string().regex(/^\d+$/),
              attributes: Attributes,
              links: z.array(z.object({ traceId: Hex(32), spanId: Hex(16) })).default([]),
              status: z.object({ code: z.number() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** In milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly links: readonly string[];
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** What came, as it came. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** Takes no spans from now on: answers an error, or nothing at all. */
  fail(how: 'error' | 'silence' | 'never'): void;
  close(): Promise<void>;
}

/** A collector that takes OTLP in JSON over HTTP, and refuses what is none. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let failing: 'error' | 'silence' | 'never' = 'never';
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      if (failing === 'silence') return;
      if (failing === 'error') return void response.writeHead(503).end();
      const { success, data, error } = Request.safeParse(JSON.parse(body));
      if (success) spans.push(...readSpans(data));
      response.writeHead(success ? 200 : 400).end(error?.message ?? '{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    fail: (how) => void (failing = how),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The spans of a trace as one tree. Throws unless each but one belongs under another of them, and their times can be. */
export function treeOf(spans: readonly ReceivedSpan[]): {
  readonly root: ReceivedSpan;
  readonly below: (span: ReceivedSpan) => readonly ReceivedSpan[];
} {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null);
  const strays = spans.filter(({ parentSpanId }) => parentSpanId !== null && !ids.has(parentSpanId));
  const [root] = roots;
  const isTree = root && roots.length === 1 && strays.length === 0 && ids.size === spans.length;
  if (!isTree || new Set(spans.map(({ traceId }) => traceId)).size !== 1)
    throw new Error(`no tree: ${JSON.stringify({ roots, strays, spans: spans.map(({ name }) => name) }, null, 1)}`);
  return { root, below: ({ spanId }) => spans.filter(({ parentSpanId }) => parentSpanId === spanId) };
}

/** In the order of OTLP's numbers, from 1 on. */
const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'] as const;

function readSpans(request: z.output<typeof Request>): readonly ReceivedSpan[] {
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(resource.attributes['service.name']),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? null,
        name: span.name,
        kind: KINDS[span.kind - 1] ?? 'internal',
        from: Number(span.startTimeUnixNano) / 1e6,
        until: Number(span.endTimeUnixNano) / 1e6,
        attributes: span.attributes,
        isError: span.status.code === 2,
        links: span.links.map((link) => link.traceId),
      })),
    ),
  );
}
